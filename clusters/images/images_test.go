package images

import (
	"archive/tar"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	. "github.com/onsi/gomega"
)

func TestFindCheckout(t *testing.T) {
	wd, err := os.Getwd()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	root := filepath.Dir(filepath.Dir(wd))
	other := t.TempDir()
	NewWithT(t).Expect(os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/other\n"), 0o600)).To(Succeed())
	for name, test := range map[string]struct{ in, want string }{
		"at its root":           {root, root},
		"below its root":        {wd, root},
		"outside of any module": {t.TempDir(), ""},
		"in another module":     {other, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(test.in)
			NewWithT(t).Expect(findCheckout(t.Context())).To(Equal(test.want))
		})
	}
}

// TestFindCheckoutLeavesGoModAlone has a go.mod that somebody is working on.
func TestFindCheckoutLeavesGoModAlone(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	untidy := []byte("module " + modulePath + "\nrequire   golang.org/x/sys v0.1.0\nrequire golang.org/x/sys v0.2.0\n")
	path := filepath.Join(dir, "go.mod")
	g.Expect(os.WriteFile(path, untidy, 0o600)).To(Succeed())
	t.Chdir(dir)
	g.Expect(findCheckout(t.Context())).To(Equal(dir))
	g.Expect(os.ReadFile(path)).To(Equal(untidy))
}

func TestFindCheckoutErrors(t *testing.T) {
	t.Run("without the Go toolchain", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := findCheckout(t.Context())
		NewWithT(t).Expect(err).To(MatchError(HavePrefix("building the suite's images needs the Go toolchain: ")))
	})
	t.Run("when nobody waits any more", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := findCheckout(ctx)
		NewWithT(t).Expect(err).To(MatchError(context.Canceled), "it is not known that there is none")
	})
}

func TestReleasedVersion(t *testing.T) {
	const h1 = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
	this := func(m debug.Module) debug.Module { m.Path = modulePath; return m }
	other := debug.Module{Path: "example.com/other", Version: "v2.0.0", Sum: h1}
	dep := this(debug.Module{Version: "v0.3.0", Sum: h1})
	replaced := this(debug.Module{Version: "v0.3.0", Sum: h1, Replace: &debug.Module{Path: "../draconform"}})
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"installed at a version":   {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.0", Sum: h1})}, "v0.3.0"},
		"imported at a version":    {debug.BuildInfo{Main: other, Deps: []*debug.Module{&other, &dep}}, "v0.3.0"},
		"imported from a folder":   {debug.BuildInfo{Main: other, Deps: []*debug.Module{&replaced}}, ""},
		"not imported":             {debug.BuildInfo{Main: other}, ""},
		"run with go run":          {debug.BuildInfo{Main: this(debug.Module{Version: "(devel)"})}, ""},
		"built at a clean commit":  {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.1-0.20261120093000-0123456789ab"})}, ""},
		"built at a tagged commit": {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.0"})}, ""},
		"built with changes":       {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.0+dirty"})}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(releasedVersion(&test.info)).To(Equal(test.want))
		})
	}
}

func TestWriteArchiveSaysWhereItWorks(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	archive := filepath.Join(t.TempDir(), "images.tar")
	err := WriteArchive(t.Context(), archive, func(string) {}, Workload)
	g.Expect(err).To(MatchError("the suite's images are built from its source: run inside a checkout of " +
		"github.com/draconform/draconform, or install a released version with \"go install\""))
	g.Expect(os.ReadDir(filepath.Dir(archive))).To(BeEmpty(), "nothing temporary stays")
}

// TestWriteArchiveBuildsFromTheCheckout takes the image that needs the standard library only.
func TestWriteArchiveBuildsFromTheCheckout(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOPROXY", "off")
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(WriteArchive(t.Context(), archive, func(string) {}, Workload)).To(Succeed())
	var index struct {
		Manifests []struct{ Annotations map[string]string }
	}
	g.Expect(json.Unmarshal(fileIn(t, archive, "index.json"), &index)).To(Succeed())
	g.Expect(index.Manifests).To(HaveLen(1))
	g.Expect(index.Manifests[0].Annotations).To(HaveKeyWithValue("io.containerd.image.name", "draconform.dev/workload:dev"))
	entries, err := os.ReadDir(filepath.Dir(archive))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1), "nothing temporary stays")
}

func TestWriteArchiveNamesThePackageThatIsMissing(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	archive := filepath.Join(t.TempDir(), "images.tar")
	err := WriteArchive(t.Context(), archive, func(string) {}, Image{Ref: "a:1", Package: "no/such/package"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("no/such/package")))
}

func fileIn(t *testing.T, archive, name string) []byte {
	t.Helper()
	g := NewWithT(t)
	f, err := os.Open(archive)
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			t.Fatalf("%s has no %s", archive, name)
		}
		g.Expect(err).NotTo(HaveOccurred())
		if h.Name != name {
			continue
		}
		content, err := io.ReadAll(r)
		g.Expect(err).NotTo(HaveOccurred())
		return content
	}
}
