// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/module"
)

func TestNewerThan(t *testing.T) {
	graph := `draconform.dev/throwaway example.com/a@v1.0.0
example.com/a@v1.0.0 example.com/b@v1.2.0
example.com/c@v1.0.0 example.com/b@v1.10.0
example.com/d@v1.0.0 example.com/b@v1.10.0
example.com/d@v1.0.0 example.com/b@v1.9.0
example.com/d@v1.0.0 example.com/e@v2.0.0
example.com/d@v1.0.0 go@1.26.0
`
	pinned := map[string]string{"example.com/a": "v1.0.0", "example.com/b": "v1.2.0"}
	NewWithT(t).Expect(newerThan(pinned, []byte(graph))).To(Equal([]module.Version{
		{Path: "example.com/b", Version: "v1.10.0"}, {Path: "example.com/b", Version: "v1.9.0"},
	}), "each once, by the order of versions and not of letters, and of pinned modules only")
}

// proxy sets up a module proxy of files. Its modules contain only the given
// requirements.
func proxy(t *testing.T, modules map[module.Version][]module.Version) {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	for m, requires := range modules {
		folder := filepath.Join(dir, m.Path, "@v")
		g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
		content := "module " + m.Path + "\n\ngo 1.26.0\n"
		for _, r := range requires {
			content += "\nrequire " + r.Path + " " + r.Version + "\n"
		}
		g.Expect(os.WriteFile(filepath.Join(folder, m.Version+".mod"), []byte(content), 0o600)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(folder, m.Version+".info"), []byte(`{"Version":"`+m.Version+`"}`), 0o600)).To(Succeed())
	}
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
}

func TestPinExcludesNewerVersions(t *testing.T) {
	g := NewWithT(t)
	of := func(path, version string) module.Version {
		return module.Version{Path: "example.com/" + path, Version: version}
	}
	proxy(t, map[module.Version][]module.Version{
		of("built", "v1.0.0"):  {of("pinned", "v1.5.0"), of("other", "v1.1.0")},
		of("pinned", "v1.2.0"): nil,
		of("pinned", "v1.5.0"): {of("other", "v1.9.0")},
		of("other", "v1.1.0"):  {of("pinned", "v1.3.0")},
		of("other", "v1.9.0"):  nil,
		of("pinned", "v1.3.0"): nil,
	})
	b := Build{Dir: filepath.Join(t.TempDir(), "module"), Require: []module.Version{of("built", "v1.0.0")}, Pin: []module.Version{of("pinned", "v1.2.0")}}
	g.Expect(b.pin(t.Context())).To(Succeed())
	graph, err := b.graph(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(graph)).To(ContainSubstring("example.com/pinned@v1.2.0"))
	g.Expect(string(graph)).NotTo(MatchRegexp(`example.com/pinned@v1\.[35]`))
	g.Expect(string(graph)).NotTo(ContainSubstring("example.com/other@v1.9.0"), "only the newer versions of the pinned module require it")
}

func TestPinDoesWithoutExcludedVersions(t *testing.T) {
	g := NewWithT(t)
	of := func(path, version string) module.Version {
		return module.Version{Path: "example.com/" + path, Version: version}
	}
	proxy(t, map[module.Version][]module.Version{
		of("built", "v1.0.0"):  {of("pinned", "v1.2.0"), of("missing", "v0.0.0")},
		of("pinned", "v1.2.0"): nil,
	})
	b := Build{
		Dir: filepath.Join(t.TempDir(), "module"), Require: []module.Version{of("built", "v1.0.0")},
		Pin: []module.Version{of("pinned", "v1.2.0")}, Exclude: []module.Version{of("missing", "v0.0.0")},
	}
	g.Expect(b.pin(t.Context())).To(Succeed())
}

func TestPinErrorHasTheOutputOfTheGoCommand(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	b := Build{Dir: filepath.Join(t.TempDir(), "module"), Pin: []module.Version{{Path: "example.com/missing", Version: "v1.0.0"}}}
	NewWithT(t).Expect(b.pin(t.Context())).To(MatchError(And(HavePrefix("read the module graph: exit status 1: "), ContainSubstring("example.com/missing"))))
}
