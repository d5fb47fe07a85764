// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/clusters"
)

func TestInputsAreComplete(t *testing.T) {
	g := NewWithT(t)
	in, err := readInputs() // rejects unknown fields
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(in.Debian.Suite).NotTo(BeEmpty())
	g.Expect(in.Debian.Mirror).To(HavePrefix("http"))
	g.Expect(in.Debian.Packages).To(ContainElements("systemd", "iptables", "nftables", "conntrack", "runc", "containernetworking-plugins"))
	g.Expect(in.Debian.Exclude).To(HaveEach(Or(HavePrefix("/usr/share/"), Equal("/usr/lib/cni/*"))))
	g.Expect(in.Debian.Include).To(HaveEach(HavePrefix("/usr/lib/cni/")))
	for path, version := range in.Modules {
		g.Expect(module.CheckPath(path)).To(Succeed())
		g.Expect(semver.Canonical(version)).To(Equal(version), "%s is pinned exactly", path)
	}
	g.Expect(in.Modules).To(And(HaveKey(containerdModule), HaveKey("sigs.k8s.io/kind")))
}

// TestInputsAgreeWithGoMod guards that images and the suite use the same versions of modules.
func TestInputsAgreeWithGoMod(t *testing.T) {
	g := NewWithT(t)
	in, err := readInputs()
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join("..", "..", "go.mod")
	content, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	f, err := modfile.Parse(path, content, nil)
	g.Expect(err).NotTo(HaveOccurred())
	var common []string
	for _, r := range f.Require {
		if version, ok := in.Modules[r.Mod.Path]; ok {
			common = append(common, r.Mod.Path)
			g.Expect(version).To(Equal(r.Mod.Version), "%s in inputs.yaml", r.Mod.Path)
		}
	}
	g.Expect(common).To(ConsistOf("sigs.k8s.io/kind"))
}

func TestEverySourceOfPodroutesIsEmbedded(t *testing.T) {
	g := NewWithT(t)
	embedded, err := sources.ReadDir("podroutes")
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, file := range embedded {
		names = append(names, filepath.Join("podroutes", file.Name()))
	}
	onDisk, err := filepath.Glob("podroutes/*.go")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names).To(ConsistOf(slices.DeleteFunc(onDisk, func(path string) bool { return strings.HasSuffix(path, "_test.go") })))
}

func TestRefChangesWithEachInput(t *testing.T) {
	seen := map[string]string{builderOf(t).ref(): "nothing"}
	for name, change := range map[string]func(*builder){
		"the release":        func(b *builder) { b.release = clusters.Releases()[1] },
		"the Debian release": func(b *builder) { b.inputs.Debian.Suite = "trixie" },
		"the mirror":         func(b *builder) { b.inputs.Debian.Mirror += "/" },
		"a package": func(b *builder) {
			b.inputs.Debian.Packages = append([]string{"less"}, b.inputs.Debian.Packages...)
		},
		"excluded files":    func(b *builder) { b.inputs.Debian.Exclude = nil },
		"included files":    func(b *builder) { b.inputs.Debian.Include = nil },
		"a module":          func(b *builder) { b.inputs.Modules[containerdModule] = "v2.4.3" },
		"the sandbox image": func(b *builder) { b.inputs.SandboxImage += ".1" },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := builderOf(t)
			change(b)
			g.Expect(seen).NotTo(HaveKey(b.ref()), seen[b.ref()])
			seen[b.ref()] = name
		})
	}
}

func TestRefNamesReleaseAndKey(t *testing.T) {
	g := NewWithT(t)
	b := builderOf(t)
	g.Expect(b.ref()).To(MatchRegexp(`^draconform/node:v%s-[0-9a-f]{12}$`, clusters.Newest().Version))
	g.Expect(b.ref()).To(Equal(builderOf(t).ref()), "equal inputs have equal names")
}

func TestKeyDistinguishesParts(t *testing.T) {
	g := NewWithT(t)
	g.Expect(key("ab", "c")).NotTo(Equal(key("a", "bc")))
	g.Expect(key([]string{"a"}, []string{"b"})).NotTo(Equal(key([]string{"a", "b"}, []string{})))
	g.Expect(key(map[string]string{"a": "1", "b": "2"})).To(Equal(key(map[string]string{"b": "2", "a": "1"})))
}
