// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"archive/tar"
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/internal/filelock"
)

// cacheOf returns a cache with artifacts of one file each, and the name of the layers of the newest release.
func cacheOf(t *testing.T, more ...string) (dir, layers string) {
	t.Helper()
	g := NewWithT(t)
	dir = t.TempDir()
	layers = layersArtifact + "-" + builderOf(t).key()
	for _, name := range append(more, layers) {
		g.Expect(os.Mkdir(filepath.Join(dir, name), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, name, baseTar), []byte(name), 0o600)).To(Succeed())
	}
	return dir, layers
}

func names(all []Stored) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

const (
	oldLayers = "layers-0123456789ab"
	oldBase   = "base-0123456789ab"
)

func TestListStoredHasTheReleasesOfLayers(t *testing.T) {
	g := NewWithT(t)
	dir, layers := cacheOf(t, oldLayers, "base-0123456789ac.partial", "something else")
	all, err := ListStored(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names(all)).To(ConsistOf(layers, oldLayers), "finished artifacts only")
	for _, s := range all {
		want := ""
		if s.Name == layers {
			want = clusters.Newest().Minor
		}
		g.Expect(s.Release).To(Equal(want), s.Name)
		g.Expect(s.Bytes).To(BeEquivalentTo(len(s.Name)))
	}
	g.Expect(ListStored(filepath.Join(dir, "none"))).To(BeEmpty())
}

func TestPruneKeepsTheLayersOfReleases(t *testing.T) {
	g := NewWithT(t)
	dir, layers := cacheOf(t, oldLayers, oldBase, "base-0123456789ac.partial", "something else")
	removed, err := Prune(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names(removed)).To(ConsistOf(oldLayers, oldBase))
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(ConsistOf(filepath.Join(dir, layers), filepath.Join(dir, "something else"), filepath.Join(dir, buildLock)))
	g.Expect(Prune(filepath.Join(dir, "none"))).To(BeEmpty())
}

func TestPruneFailsDuringABuild(t *testing.T) {
	g := NewWithT(t)
	dir, _ := cacheOf(t, oldBase)
	unlock, err := filelock.Try(filepath.Join(dir, buildLock))
	g.Expect(err).NotTo(HaveOccurred())
	defer unlock()
	_, err = Prune(dir)
	g.Expect(err).To(MatchError(filelock.ErrHeld))
	g.Expect(filepath.Join(dir, oldBase)).To(BeADirectory())
}

func TestLoadAddsSavedArtifacts(t *testing.T) {
	g := NewWithT(t)
	from, layers := cacheOf(t, oldLayers, oldBase)
	var archive bytes.Buffer
	g.Expect(Save(t.Context(), from, &archive)).To(Equal([]string{layers}))
	into := t.TempDir()
	content := archive.Bytes()
	g.Expect(Load(t.Context(), into, bytes.NewReader(content))).To(Equal([]string{layers}))
	g.Expect(os.ReadFile(filepath.Join(into, layers, baseTar))).To(Equal([]byte(layers)))
	g.Expect(Load(t.Context(), into, bytes.NewReader(content))).To(BeEmpty(), "it exists")
	left, err := os.ReadDir(into)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(HaveLen(2), "the layers and the lock")
}

func TestLoadWaitsForTheLockOfBuilds(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	unlock, err := filelock.Try(filepath.Join(dir, buildLock))
	g.Expect(err).NotTo(HaveOccurred())
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Load(ctx, dir, nil)
	g.Expect(err).To(MatchError(HavePrefix("wait for the lock " + dir)))
}

func TestEmptyArchiveCanBeLoaded(t *testing.T) {
	g := NewWithT(t)
	var archive bytes.Buffer
	g.Expect(Save(t.Context(), t.TempDir(), &archive)).To(BeEmpty())
	g.Expect(Load(t.Context(), t.TempDir(), &archive)).To(BeEmpty())
}

func TestLoadRejectsOtherArchives(t *testing.T) {
	layers := layersArtifact + "-" + builderOf(t).key()
	pack := func(headers ...tar.Header) []byte {
		g := NewWithT(t)
		var out bytes.Buffer
		packed, err := zstd.NewWriter(&out)
		g.Expect(err).NotTo(HaveOccurred())
		archive := tar.NewWriter(packed)
		for _, h := range headers {
			g.Expect(archive.WriteHeader(&h)).To(Succeed())
		}
		g.Expect(packed.Close()).To(Succeed())
		return out.Bytes()
	}
	regular := func(name string) tar.Header { return tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644} }
	for name, test := range map[string]struct {
		archive []byte
		want    string
	}{
		"no archive at all":     {[]byte("hello"), "magic number mismatch"},
		"half an archive":       {pack(regular(layers + "/a"))[:20], "read the archive of artifacts: "},
		"a file of no artifact": {pack(regular("a")), `"a" is not a file of an artifact`},
		"a file of another dir": {pack(regular("../../etc/passwd")), `"../../etc/passwd" is not a file of an artifact`},
		"a folder above":        {pack(regular(layers + "/..")), `is not a file of an artifact`},
		"a link":                {pack(tar.Header{Typeflag: tar.TypeSymlink, Name: layers + "/a", Linkname: "/etc"}), `is not a file of an artifact`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			dir := t.TempDir()
			_, err := Load(t.Context(), dir, bytes.NewReader(test.archive))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(os.ReadDir(dir)).To(ConsistOf(HaveField("Name()", buildLock)), "nothing was added")
		})
	}
}
