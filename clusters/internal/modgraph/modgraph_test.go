// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package modgraph

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/gobuild"
)

func TestReadGraph(t *testing.T) {
	NewWithT(t).Expect(readGraph("testdata/go.mod.txt", "1.37.1")).To(Equal(Graph{godebug: []string{"default=go1.26"}, modules: []module.Version{
		{Path: "github.com/blang/semver/v4", Version: "v4.0.0"},
		{Path: "k8s.io/api", Version: "v0.37.1"},
		{Path: "k8s.io/client-go", Version: "v0.37.1"},
		{Path: "k8s.io/klog/v2", Version: "v2.140.0"},
		{Path: "k8s.io/utils", Version: "v0.0.0-20260626114624-be93311217bd"},
		{Path: "sigs.k8s.io/yaml", Version: "v1.6.0"},
	}, excluded: []module.Version{{Path: "k8s.io/sample-apiserver", Version: "v0.0.0"}}}), "its own at their published versions, without the examples")
}

func TestReadGraphErrors(t *testing.T) {
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "go.mod")
		NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		return path
	}
	for name, test := range map[string]struct{ goMod, version, want string }{
		"no file":           {"/nonexistent/go.mod", "1.37.1", "^open /nonexistent/go.mod: "},
		"no module file":    {write("require ("), "1.37.1", "^read .*go.mod: "},
		"an unknown layout": {write("module k8s.io/kubernetes\n\nrequire k8s.io/api v0.37.1\n"), "1.37.1", "requires no module at v0.0.0"},
		"half a version":    {"testdata/go.mod.txt", "1", `^kubernetes version "1" is not of the form 1.X.Y$`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readGraph(test.goMod, test.version)
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestPinExceptModulesOfTheSameOrganization(t *testing.T) {
	of := func(path, version string) module.Version { return module.Version{Path: path, Version: version} }
	release := Graph{
		modules: []module.Version{
			of("k8s.io/api", "v0.37.2"), of("github.com/owner/server", "v3.7.0"), of("github.com/owner/api", "v1.0.0"),
			of("go.etcd.io/etcd/api/v3", "v3.6.4"), of("go.etcd.io/bbolt", "v1.4.2"), of("golang.org/x/net", "v0.57.0"),
		},
		excluded: []module.Version{of("k8s.io/sample-apiserver", "v0.0.0")},
		godebug:  []string{"default=go1.24"},
	}
	for name, test := range map[string]struct {
		built    module.Version
		pinned   []string
		excluded []module.Version
		godebug  []string
	}{
		"of one owner on GitHub": {
			of("github.com/owner/server", "v3.6.5"), []string{"k8s.io/api", "go.etcd.io/etcd/api/v3", "go.etcd.io/bbolt", "golang.org/x/net"}, nil, nil,
		},
		"of etcd": {
			of("go.etcd.io/etcd/server/v3", "v3.6.5"), []string{"k8s.io/api", "github.com/owner/server", "github.com/owner/api", "golang.org/x/net"}, nil, nil,
		},
		"of Kubernetes": {
			of(Kubernetes, "v1.34.4"),
			[]string{"k8s.io/api", "github.com/owner/server", "github.com/owner/api", "go.etcd.io/etcd/api/v3", "go.etcd.io/bbolt", "golang.org/x/net"},
			[]module.Version{of("k8s.io/sample-apiserver", "v0.0.0")},
			[]string{"default=go1.24"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			b := release.Pin(gobuild.Build{Require: []module.Version{test.built}})
			var pinned []string
			for _, m := range b.Pin {
				pinned = append(pinned, m.Path)
			}
			g.Expect(pinned).To(Equal(test.pinned))
			g.Expect(b.Require).To(Equal([]module.Version{test.built}))
			g.Expect(b.Godebug).To(Equal(test.godebug))
			g.Expect(b.Exclude).To(Equal(test.excluded))
		})
	}
}

// ofManuals writes manual pages. No command of Kubernetes imports it.
const ofManuals = "github.com/cpuguy83/go-md2man/v2"

// TestModulesOfThisRepositoryHaveTheVersionsOfTheNewestRelease guards that draconform, its scheduler and its tests
// share compiled packages with the node image.
func TestModulesOfThisRepositoryHaveTheVersionsOfTheNewestRelease(t *testing.T) {
	g := NewWithT(t)
	graph, err := Of(t.Context(), clusters.Newest().Version)
	g.Expect(err).NotTo(HaveOccurred())
	released := map[string]string{}
	for _, m := range graph.modules {
		released[m.Path] = m.Version
	}
	for _, dir := range []string{".", "allocator/scheduler", "allocator/scheduler/perf", "e2e/vendors"} {
		content, err := os.ReadFile(filepath.Join("../../..", dir, "go.mod"))
		g.Expect(err).NotTo(HaveOccurred())
		f, err := modfile.Parse("go.mod", content, nil)
		g.Expect(err).NotTo(HaveOccurred())
		shared := 0
		for _, r := range f.Require {
			if want, ok := released[r.Mod.Path]; ok && r.Mod.Path != ofManuals {
				shared++
				g.Expect(r.Mod.Version).To(Equal(want), "%s in %s", r.Mod.Path, dir)
			}
		}
		g.Expect(shared).To(BeNumerically(">", 20), dir)
	}
}

func TestStamps(t *testing.T) {
	NewWithT(t).Expect(Stamps("1.37.1")).To(Equal("" +
		"-X k8s.io/component-base/version.gitVersion=v1.37.1 " +
		"-X k8s.io/component-base/version.gitMajor=1 " +
		"-X k8s.io/component-base/version.gitMinor=37 " +
		"-X k8s.io/component-base/version.gitTreeState=archive"))
}
