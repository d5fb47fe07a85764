// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// Guards that a damaged spec of a prepared claim is restored at the next start,
// and that a copy of it is kept if it cannot be decoded.
func TestDamagedSpec(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(path string) error
		kept   bool
	}{
		"missing":                  {os.Remove, false},
		"empty":                    {func(path string) error { return os.Truncate(path, 0) }, true},
		"truncated":                {func(path string) error { return os.Truncate(path, 30) }, true},
		"no JSON":                  {func(path string) error { return os.WriteFile(path, []byte("\x7fELF"), 0o600) }, true},
		"of another driver":        {func(path string) error { return os.WriteFile(path, []byte(`{"kind": "x.example.com/device"}`), 0o600) }, true},
		"without devices":          {func(path string) error { return os.WriteFile(path, []byte(`{"kind": "`+driver+`/device"}`), 0o600) }, false},
		"a directory":              {func(path string) error { return replaced(path, os.Mkdir(path+".d", 0o750), path+".d") }, true},
		"a broken link":            {func(path string) error { return replaced(path, os.Symlink("/nowhere", path+".l"), path+".l") }, true},
		"its directory is missing": {func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config := newConfig(t)
			store := open(t, config)
			_, err := store.Prepare(t.Context(), newClaim("a", half0))
			g.Expect(err).NotTo(HaveOccurred())
			before, path := injected(t, config), filepath.Join(config.CDIDir, store.specs.fileName("a"))
			g.Expect(test.damage(path)).To(Succeed())

			store = open(t, config)
			g.Expect(injected(t, config)).To(Equal(before))
			g.Expect(store.Prepared()).To(Equal([]string{"default/a"}))
			_, missing := os.Lstat(path + ".corrupt-1")
			g.Expect(missing == nil).To(Equal(test.kept))
			if test.kept {
				g.Expect(store.Damage()).To(HaveExactElements(And(ContainSubstring(path), ContainSubstring(path+".corrupt-1"))))
			} else {
				g.Expect(store.Damage()).To(BeEmpty())
			}
			g.Expect(store.Described()).To(Equal([]string{"default/a"}))
			g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
			g.Expect(injected(t, config)).To(BeEmpty())
			g.Expect(store.Described()).To(BeEmpty())
			g.Expect(os.WriteFile(path, nil, 0o600)).To(Succeed())
			g.Expect(store.Described()).To(Equal([]string{"a"}), "the spec without a claim, by its UID")
		})
	}
}

// replaced replaces a file with another one, unless err is set.
func replaced(path string, err error, by string) error {
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Rename(by, path)
}

// Guards that files of other drivers in the CDI directory are not changed,
// regardless of their prefix.
func TestForeignSpecs(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	_, err := open(t, config).Prepare(t.Context(), newClaim("a", half0))
	g.Expect(err).NotTo(HaveOccurred())
	foreign := map[string]string{
		"nvidia.com-gpu.json":                 `{"cdiVersion": "0.6.0", "kind": "nvidia.com/gpu"}`,
		"broken.json":                         `{`,
		"other.example.com-device_a.json":     "",
		driver + "-gpu_a.json":                `{`,
		driver + "_metadata_a_for-x.json":     `{`,
		driver + "-device_a.yaml":             "kind: x",
		"x." + driver + "-device_a.json":      `{`,
		driver + ".example.com-device_a.json": `{`,
		"README":                              "text",
	}
	for name, content := range foreign {
		g.Expect(os.WriteFile(filepath.Join(config.CDIDir, name), []byte(content), 0o600)).To(Succeed())
	}
	store := open(t, config)
	g.Expect(store.Damage()).To(BeEmpty())
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	open(t, config)
	for name, content := range foreign {
		found, err := os.ReadFile(filepath.Join(config.CDIDir, name))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(found)).To(Equal(content), name)
	}
	g.Expect(os.ReadDir(config.CDIDir)).To(HaveLen(len(foreign)))
}
