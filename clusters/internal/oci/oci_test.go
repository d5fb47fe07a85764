// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	. "github.com/onsi/gomega"
)

func TestImageForSeveralArchitecturesIsAnIndex(t *testing.T) {
	g := NewWithT(t)
	archive := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(WriteArchive(archive, []Command{
		{Ref: "draconform.dev/one:dev", Binary: writeBinary(t, "one"), Path: "/one", Arch: "amd64"},
		{Ref: "draconform.dev/one:dev", Binary: writeBinary(t, "other"), Path: "/one", Arch: "arm64"},
		{Ref: "draconform.dev/two:dev", Binary: writeBinary(t, "two"), Path: "/two", Arch: "arm64"},
	})).To(Succeed())
	all, err := unpack(t, archive).ImageIndex()
	g.Expect(err).NotTo(HaveOccurred())
	manifest, err := all.IndexManifest()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(manifest.Manifests).To(HaveLen(2))
	for i, ref := range []string{"draconform.dev/one:dev", "draconform.dev/two:dev"} {
		g.Expect(manifest.Manifests[i].Annotations).To(Equal(map[string]string{"io.containerd.image.name": ref, "org.opencontainers.image.ref.name": ref}))
	}
	g.Expect(manifest.Manifests[0].MediaType).To(Equal(types.OCIImageIndex))
	one, err := all.ImageIndex(manifest.Manifests[0].Digest)
	g.Expect(err).NotTo(HaveOccurred())
	platforms, err := one.IndexManifest()
	g.Expect(err).NotTo(HaveOccurred())
	for i, want := range []struct{ arch, content string }{{"amd64", "one"}, {"arm64", "other"}} {
		g.Expect(platforms.Manifests[i].Platform.String()).To(Equal("linux/" + want.arch))
		img, err := one.Image(platforms.Manifests[i].Digest)
		g.Expect(err).NotTo(HaveOccurred())
		config, err := img.ConfigFile()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Architecture).To(Equal(want.arch))
		layers, err := img.Layers()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(layerEntries(t, layers[0])).To(Equal([]Entry{{Path: "one", Mode: 0o755, Data: []byte(want.content)}}))
	}
	two, err := all.Image(manifest.Manifests[1].Digest)
	g.Expect(err).NotTo(HaveOccurred())
	config, err := two.ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Architecture).To(Equal("arm64"))
}

func TestWriteArchiveHasImagesByReference(t *testing.T) {
	g := NewWithT(t)
	base, err := ZstdLayer(func(w io.Writer) error {
		return WriteTar(w, []Entry{{Path: "/etc/base", Data: []byte("b"), Mode: 0o644}})
	})
	g.Expect(err).NotTo(HaveOccurred())
	out := t.TempDir()
	archive := filepath.Join(out, "images.tar")
	g.Expect(WriteArchive(archive, []Command{
		{Ref: "draconform.dev/one:dev", Binary: writeBinary(t, "one"), Path: "/one"},
		{Ref: "draconform.dev/two:dev", Binary: writeBinary(t, "two"), Path: "/usr/local/bin/two", Base: []v1.Layer{base}, User: "7:8"},
	})).To(Succeed())
	left, err := os.ReadDir(out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(HaveLen(1), "no temporary files are left")

	images := unpack(t, archive)
	index, err := images.ImageIndex()
	g.Expect(err).NotTo(HaveOccurred())
	manifest, err := index.IndexManifest()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(manifest.Manifests).To(HaveLen(2))
	for i, want := range []struct {
		ref, path, env, user string
		layers               [][]Entry
	}{
		{"draconform.dev/one:dev", "/one", "PATH=/:/usr/sbin:/usr/bin", "", [][]Entry{
			{{Path: "one", Mode: 0o755, Data: []byte("one")}},
		}},
		{"draconform.dev/two:dev", "/usr/local/bin/two", "PATH=/usr/local/bin:/usr/sbin:/usr/bin", "7:8", [][]Entry{
			{{Path: "etc/base", Mode: 0o644, Data: []byte("b")}},
			{{Path: "usr/local/bin/two", Mode: 0o755, Data: []byte("two")}},
		}},
	} {
		g.Expect(manifest.Manifests[i].Annotations).To(HaveKeyWithValue("io.containerd.image.name", want.ref))
		img, err := images.Image(manifest.Manifests[i].Digest)
		g.Expect(err).NotTo(HaveOccurred())
		config, err := img.ConfigFile()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Config.Entrypoint).To(Equal([]string{want.path}))
		g.Expect(config.Config.Env).To(Equal([]string{want.env}))
		g.Expect(config.Config.User).To(Equal(want.user))
		g.Expect(config.OS + "/" + config.Architecture).To(Equal("linux/" + runtime.GOARCH))
		layers, err := img.Layers()
		g.Expect(err).NotTo(HaveOccurred())
		var got [][]Entry
		for _, layer := range layers {
			g.Expect(layer.MediaType()).To(Equal(types.OCILayerZStd))
			got = append(got, layerEntries(t, layer))
		}
		g.Expect(got).To(Equal(want.layers))
	}
}

func TestImagesOfOneProgramShareItsLayer(t *testing.T) {
	g := NewWithT(t)
	archive, paths := filepath.Join(t.TempDir(), "images.tar"), []string{"/bin/one", "/bin/two"}
	binary := writeBinary(t, "program")
	g.Expect(WriteArchive(archive, []Command{
		{Ref: "draconform.dev/one:dev", Binary: binary, Path: "/bin/one", Paths: paths},
		{Ref: "draconform.dev/two:dev", Binary: binary, Path: "/bin/two", Paths: paths},
	})).To(Succeed())
	images := unpack(t, archive)
	index, err := images.ImageIndex()
	g.Expect(err).NotTo(HaveOccurred())
	manifest, err := index.IndexManifest()
	g.Expect(err).NotTo(HaveOccurred())
	var layers []v1.Hash
	for i, want := range paths {
		img, err := images.Image(manifest.Manifests[i].Digest)
		g.Expect(err).NotTo(HaveOccurred())
		config, err := img.ConfigFile()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Config.Entrypoint).To(Equal([]string{want}))
		all, err := img.Layers()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(all).To(HaveLen(1))
		g.Expect(layerEntries(t, all[0])).To(Equal([]Entry{
			{Path: "bin/one", Mode: 0o755, Data: []byte("program")},
			{Path: "bin/two", Mode: 0o755, Data: []byte{}, Same: "bin/one"},
		}))
		digest, err := all[0].Digest()
		g.Expect(err).NotTo(HaveOccurred())
		layers = append(layers, digest)
	}
	g.Expect(layers[0]).To(Equal(layers[1]))
}

func TestWriteArchiveIsReproducible(t *testing.T) {
	g := NewWithT(t)
	archive := func(content string) []byte {
		path := filepath.Join(t.TempDir(), "images.tar")
		g.Expect(WriteArchive(path, []Command{{Ref: "a:1", Binary: writeBinary(t, content), Path: "/a"}})).To(Succeed())
		written, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		return written
	}
	g.Expect(bytes.Equal(archive("same"), archive("same"))).To(BeTrue())
	g.Expect(bytes.Equal(archive("same"), archive("else"))).To(BeFalse())
}

func TestWriteArchiveErrorNamesTheImage(t *testing.T) {
	g := NewWithT(t)
	out := t.TempDir()
	err := WriteArchive(filepath.Join(out, "images.tar"), []Command{{Ref: "a:1", Binary: "/nonexistent", Path: "/a"}})
	g.Expect(err).To(MatchError("build image a:1: add /a: open /nonexistent: no such file or directory"))
	left, err := os.ReadDir(out)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(BeEmpty())
}
