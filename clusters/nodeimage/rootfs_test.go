// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/oci"
)

// fakeCtr adds a ctr to PATH that answers "ctr oci spec".
func fakeCtr(t *testing.T, spec fake.Answer) *fake.Commands {
	t.Helper()
	spec.Args = "oci spec"
	return fake.NewCommands(t).Command("ctr", spec)
}

func byPath(entries []oci.Entry) map[string]oci.Entry {
	found := map[string]oci.Entry{}
	for _, e := range entries {
		found[e.Path] = e
	}
	return found
}

// TestRootfsIsKindsNode builds the node from the files of the pinned version of kind.
func TestRootfsIsKindsNode(t *testing.T) {
	g := NewWithT(t)
	b := builderOf(t)
	b.kindDir = kindModule(t)
	f := fakeCtr(t, fake.Answer{Stdout: `{"process":{}}`})
	entries, err := b.rootfs(t.Context(), map[string]string{"runtime": f.Dir, "kubernetes": "/k"})
	g.Expect(err).NotTo(HaveOccurred())
	found := byPath(entries)
	g.Expect(found).To(HaveLen(len(entries)), "no path twice")
	for path, mode := range map[string]fs.FileMode{
		"/usr/local/bin/entrypoint":            0o755, // the image's entrypoint
		productHook:                            0o755, // referenced by every container's specification
		"/etc/containerd/config.toml":          0o644,
		"/etc/systemd/system/kubelet.service":  0o644,
		"/etc/containerd/cri-base.json":        0o644,
		"/kind/manifests/default-cni.yaml":     0o644,
		"/kind/manifests/default-storage.yaml": 0o644,
		"/usr/local/bin/crictl":                0o755,
		"/usr/bin/kubeadm":                     0o755,
		"/usr/local/bin/containerd":            0o755,
	} {
		g.Expect(found).To(HaveKeyWithValue(path, HaveField("Mode", mode)), path)
	}
	g.Expect(found["/usr/local/bin/ctr"].Link).To(Equal("containerd"), "one program with two names")
	g.Expect(found["/opt/cni/bin"].Link).To(Equal("/usr/lib/cni"), "where Debian has the plugins")
	g.Expect(found["/usr/bin/kubeadm"].Source).To(Equal("/k/kubernetes"))
	g.Expect(found["/usr/bin/kubelet"].Same).To(Equal("/usr/bin/kubeadm"), "not a symbolic link, because an upgrade copies the kubelet from the image")
	g.Expect(string(found["/kind/version"].Data)).To(Equal("v"+b.release.Version), "kind reads the release from it")
	for _, unit := range []string{"kubelet.service", "containerd.service", "undo-mount-hacks.service"} {
		g.Expect(found).To(HaveKeyWithValue("/etc/systemd/system/multi-user.target.wants/"+unit,
			HaveField("Link", "/etc/systemd/system/"+unit)))
		g.Expect(found).To(HaveKey("/etc/systemd/system/"+unit), "the target of the link")
	}
}

func TestSandboxImageIsThatOfKindsContainerd(t *testing.T) {
	g := NewWithT(t)
	config, err := os.ReadFile(filepath.Join(kindModule(t), "images", "base", "files", "etc", "containerd", "config.toml"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(config)).To(ContainSubstring("sandbox_image = %q", builderOf(t).inputs.SandboxImage))
}

func TestKindFilesMakesScriptsExecutable(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	for _, name := range []string{"usr/local/bin/entrypoint", "kind/bin/hook.sh", "kind/README.txt", "etc/a.conf"} {
		path := filepath.Join(dir, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o700)).To(Succeed())
		g.Expect(os.WriteFile(path, nil, 0o400)).To(Succeed()) // read-only as in the module cache
	}
	entries, err := kindFiles(dir)
	g.Expect(err).NotTo(HaveOccurred())
	for _, e := range entries {
		executable := e.Dir || e.Path == "/usr/local/bin/entrypoint" || e.Path == "/kind/bin/hook.sh"
		g.Expect(e.Mode).To(Equal(map[bool]fs.FileMode{true: 0o755, false: 0o644}[executable]), e.Path)
	}
	g.Expect(byPath(entries)).To(HaveKey("/etc/a.conf"))
}

func TestEnabledUnitsAreLinkedToTheirTargets(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(dir, "a.service"), []byte("[Install]\nWantedBy=one.target\nWantedBy=two.target\n"), 0o600)).To(Succeed())
	g.Expect(enabledUnits(dir, "a.service")).To(Equal([]oci.Entry{
		{Path: "/etc/systemd/system/one.target.wants/a.service", Link: "/etc/systemd/system/a.service", Mode: 0o777},
		{Path: "/etc/systemd/system/two.target.wants/a.service", Link: "/etc/systemd/system/a.service", Mode: 0o777},
	}))
	g.Expect(os.WriteFile(filepath.Join(dir, "b.service"), []byte("[Install]\nAlias=c.service\n"), 0o600)).To(Succeed())
	_, err := enabledUnits(dir, "b.service")
	g.Expect(err).To(MatchError("unit b.service of kind's base image has no WantedBy: how to enable it is unknown"))
	_, err = enabledUnits(dir, "missing.service")
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

func TestBaseRuntimeSpecAddsTheHookAndDropsLimits(t *testing.T) {
	for name, test := range map[string]struct{ spec, want string }{
		"of a specification without hooks": {
			`{"ociVersion":"1.3.0","process":{"cwd":"/","rlimits":[{"type":"RLIMIT_NOFILE"}]}}`,
			`{"ociVersion":"1.3.0","process":{"cwd":"/"},"hooks":{"createContainer":[{"path":"/kind/bin/mount-product-files.sh"}]}}`,
		},
		"with other hooks": {
			`{"process":{},"hooks":{"prestart":[{"path":"/a"}],"createContainer":[{"path":"/b"}]}}`,
			`{"process":{},"hooks":{"prestart":[{"path":"/a"}],"createContainer":[{"path":"/b"},{"path":"/kind/bin/mount-product-files.sh"}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			f := fakeCtr(t, fake.Answer{Stdout: test.spec})
			spec, err := baseRuntimeSpec(t.Context(), filepath.Join(f.Dir, "ctr"))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(spec).To(MatchJSON(test.want))
		})
	}
}

func TestBaseRuntimeSpecErrors(t *testing.T) {
	for name, test := range map[string]struct {
		answer fake.Answer
		want   string
	}{
		"of a ctr that fails":               {fake.Answer{Exit: 1}, "get the default container specification of ctr: exit status 1"},
		"of an answer that is no JSON":      {fake.Answer{Stdout: "NAME:"}, "read the default container specification: invalid character"},
		"of an answer without a process":    {fake.Answer{Stdout: `{}`}, "the default container specification of "},
		"of an answer with another process": {fake.Answer{Stdout: `{"process":[]}`}, "the default container specification of "},
	} {
		t.Run(name, func(t *testing.T) {
			f := fakeCtr(t, test.answer)
			_, err := baseRuntimeSpec(t.Context(), filepath.Join(f.Dir, "ctr"))
			NewWithT(t).Expect(err).To(MatchError(HavePrefix(test.want)))
		})
	}
}
