package images

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWriteArchiveSaysWhereItWorks(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	archive := filepath.Join(t.TempDir(), "images.tar")
	err := WriteArchive(t.Context(), archive, func(string) {}, Workload)
	g.Expect(err).To(MatchError("images are built from the source of this module: run inside a checkout of " +
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
