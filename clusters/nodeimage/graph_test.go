package nodeimage

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

func TestReadGraphHasEachModuleOfTheRelease(t *testing.T) {
	NewWithT(t).Expect(readGraph("testdata/kubernetes/go.mod.txt", "1.37.1")).To(Equal([]module.Version{
		{Path: "github.com/blang/semver/v4", Version: "v4.0.0"},
		{Path: "k8s.io/api", Version: "v0.37.1"},
		{Path: "k8s.io/client-go", Version: "v0.37.1"},
		{Path: "k8s.io/klog/v2", Version: "v2.140.0"},
		{Path: "k8s.io/utils", Version: "v0.0.0-20260626114624-be93311217bd"},
		{Path: "sigs.k8s.io/yaml", Version: "v1.6.0"},
	}), "its own at the versions by which they are published")
}

func TestReadGraphErrors(t *testing.T) {
	write := func(content string) string {
		path := filepath.Join(t.TempDir(), "go.mod")
		NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
		return path
	}
	for name, test := range map[string]struct{ goMod, version, want string }{
		"no file":                  {"/nonexistent/go.mod", "1.37.1", "^open /nonexistent/go.mod: "},
		"no module file":           {write("require ("), "1.37.1", "^read .*go.mod: "},
		"a layout that is unknown": {write("module k8s.io/kubernetes\n\nrequire k8s.io/api v0.37.1\n"), "1.37.1", "requires no module at v0.0.0"},
		"half a version":           {"testdata/kubernetes/go.mod.txt", "1", `^kubernetes version "1" is not of the form 1.X.Y$`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readGraph(test.goMod, test.version)
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

func TestInGraphHoldsAllModulesButThoseOfWhatIsBuilt(t *testing.T) {
	g := NewWithT(t)
	built := module.Version{Path: "github.com/owner/server", Version: "v3.6.5"}
	api, net := module.Version{Path: "k8s.io/api", Version: "v0.37.2"}, module.Version{Path: "golang.org/x/net", Version: "v0.57.0"}
	b := inGraph(gobuild.Build{Require: []module.Version{built}}, []module.Version{api, {Path: built.Path, Version: "v3.7.0"}, {Path: "github.com/owner/api", Version: "v1.0.0"}, net})
	g.Expect(b.Require).To(Equal([]module.Version{built}))
	g.Expect(b.Pin).To(Equal([]module.Version{api, net}), "of what belongs to the one that is built, that requires the version")
}

// TestModulesOfThisRepositoryHaveTheVersionsOfTheNewestRelease guards that draconform, its scheduler and its tests
// share compiled packages with the node image.
func TestModulesOfThisRepositoryHaveTheVersionsOfTheNewestRelease(t *testing.T) {
	g := NewWithT(t)
	graph, err := moduleGraph(t.Context(), clusters.Newest().Version)
	g.Expect(err).NotTo(HaveOccurred())
	released := map[string]string{}
	for _, m := range graph {
		released[m.Path] = m.Version
	}
	for _, dir := range []string{"../..", "../../allocator/scheduler", "../../allocator/scheduler/perf"} {
		content, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		g.Expect(err).NotTo(HaveOccurred())
		f, err := modfile.Parse("go.mod", content, nil)
		g.Expect(err).NotTo(HaveOccurred())
		shared := 0
		for _, r := range f.Require {
			if want, ok := released[r.Mod.Path]; ok {
				shared++
				g.Expect(r.Mod.Version).To(Equal(want), "%s in %s", r.Mod.Path, dir)
			}
		}
		g.Expect(shared).To(BeNumerically(">", 20), dir)
	}
}
