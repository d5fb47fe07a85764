// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/modfile"

	"github.com/draconform/draconform/clusters/skew"
)

func TestWriteArchiveNeedsACheckoutOrARelease(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	archive := filepath.Join(t.TempDir(), "images.tar")
	err := WriteArchive(t.Context(), archive, func(string, ...any) {}, Workload)
	g.Expect(err).To(MatchError("images are built from the source of this module: run inside a checkout of " +
		"github.com/draconform/draconform, or install a released version with \"go install\""))
	g.Expect(os.ReadDir(filepath.Dir(archive))).To(BeEmpty(), "no temporary files are left")
}

// TestWriteArchiveBuildsFromTheCheckout uses the image that only needs the standard library.
func TestWriteArchiveBuildsFromTheCheckout(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOPROXY", "off")
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(WriteArchive(t.Context(), archive, func(string, ...any) {}, Workload)).To(Succeed())
	var index struct {
		Manifests []struct{ Annotations map[string]string }
	}
	g.Expect(json.Unmarshal(fileIn(t, archive, "index.json"), &index)).To(Succeed())
	g.Expect(index.Manifests).To(HaveLen(1))
	g.Expect(index.Manifests[0].Annotations).To(HaveKeyWithValue("io.containerd.image.name", "draconform.dev/workload:dev"))
	entries, err := os.ReadDir(filepath.Dir(archive))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(HaveLen(1), "no temporary files are left")
}

// The kubelet cannot check runAsNonRoot for a user that is a name.
func TestUserOfDraconformIsNumeric(t *testing.T) {
	NewWithT(t).Expect(Draconform.User).To(MatchRegexp(`^[1-9]\d*:[1-9]\d*$`))
}

// Images that differ only in their environment share a binary. A binary with build tags does not replace the one
// without.
func TestWriteArchiveBuildsOncePerTags(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOPROXY", "off")
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	g.Expect(err).NotTo(HaveOccurred())
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	one, other := Workload, Workload
	one.Tags, one.Env, one.Ref = []string{"a", "b"}, []string{"FAULT=one"}, "draconform.dev/workload:one"
	other.Tags, other.Env, other.Ref = one.Tags, []string{"FAULT=other"}, "draconform.dev/workload:other"
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(WriteArchive(t.Context(), archive, func(string, ...any) {}, Workload, one, other)).To(Succeed())
	g.Expect(filepath.Join(cache, "draconform", "images", "workload")).To(BeARegularFile())
	g.Expect(filepath.Join(cache, "draconform", "images", "a,b", "workload")).To(BeARegularFile())

	var index struct{ Manifests []struct{ Digest string } }
	g.Expect(json.Unmarshal(fileIn(t, archive, "index.json"), &index)).To(Succeed())
	blob := func(digest string, into any) {
		g.Expect(json.Unmarshal(fileIn(t, archive, "blobs/"+strings.ReplaceAll(digest, ":", "/")), into)).To(Succeed())
	}
	var env, layers []string
	for _, m := range index.Manifests {
		var manifest struct {
			Config struct{ Digest string }
			Layers []struct{ Digest string }
		}
		blob(m.Digest, &manifest)
		var config struct{ Config struct{ Env []string } }
		blob(manifest.Config.Digest, &config)
		env = append(env, config.Config.Env[1:]...)
		layers = append(layers, manifest.Layers[0].Digest)
	}
	g.Expect(env).To(Equal([]string{"FAULT=one", "FAULT=other"}))
	g.Expect(layers[2]).To(Equal(layers[1]))
}

func TestWriteArchiveErrorNamesTheMissingPackage(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	archive := filepath.Join(t.TempDir(), "images.tar")
	err := WriteArchive(t.Context(), archive, func(string, ...any) {}, Image{Ref: "a:1", Package: "no/such/package"})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("no/such/package")))
}

func TestWriteArchiveOfTheSchedulerNeedsACheckout(t *testing.T) {
	g := NewWithT(t)
	t.Chdir(t.TempDir())
	archive := filepath.Join(t.TempDir(), "images.tar")
	err := WriteArchive(t.Context(), archive, func(string, ...any) {}, Scheduler)
	g.Expect(err).To(MatchError("commands of allocator/scheduler are built from a checkout only: run inside a checkout of github.com/draconform/draconform"))
	g.Expect(os.ReadDir(filepath.Dir(archive))).To(BeEmpty(), "no temporary files are left")
}

// TestWriteArchiveReusesBinaries guards against linking again, which takes most of the time.
func TestWriteArchiveReusesBinaries(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOPROXY", "off")
	// The go command's own cache must not move with XDG_CACHE_HOME.
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	g.Expect(err).NotTo(HaveOccurred())
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	archive := filepath.Join(t.TempDir(), "images.tar")
	binary := filepath.Join(cache, "draconform", "images", "workload")
	g.Expect(WriteArchive(t.Context(), archive, func(string, ...any) {}, Workload)).To(Succeed())
	before, err := os.Stat(binary)
	g.Expect(err).NotTo(HaveOccurred())
	content, err := os.ReadFile(archive)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(WriteArchive(t.Context(), archive, func(string, ...any) {}, Workload)).To(Succeed())
	after, err := os.Stat(binary)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.SameFile(before, after)).To(BeTrue())
	g.Expect(os.ReadFile(archive)).To(Equal(content), "the same archive from the same source")
}

// The release in the image's name must be that of the module.
func TestSchedulerVersionIsThatOfTheModule(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join("..", "..", Scheduler.Module, "go.mod")
	content, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	mod, err := modfile.ParseLax(path, content, nil)
	g.Expect(err).NotTo(HaveOccurred())
	for _, r := range mod.Require {
		if r.Mod.Path == "k8s.io/kubernetes" {
			g.Expect(r.Mod.Version).To(Equal(skew.SchedulerVersion))
			return
		}
	}
	t.Fatal(path + " requires no k8s.io/kubernetes")
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
