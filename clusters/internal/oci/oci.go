// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package oci creates container images from binaries of this machine without a
// container engine. The binary is added to an empty filesystem or to given
// layers.
package oci

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/compression"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Command is an image whose entry point is one binary.
type Command struct {
	Ref    string     // reference of the image in manifests
	Binary string     // path on this machine
	Path   string     // absolute path in the image, its entry point
	Paths  []string   // all paths of the binary if there is more than one
	Base   []v1.Layer // layers below the binary
	Env    []string   // variables in addition to PATH, each as "name=value"
	User   string     // user and group of the process, root if empty
	Arch   string     // architecture of the binary, that of this machine if empty
}

// WriteArchive writes images as a tar archive of an OCI layout. containerd
// imports them under their references. Commands with the same reference, which
// follow each other, are one image for several architectures.
func WriteArchive(out string, commands []Command) error {
	temp, err := os.MkdirTemp(filepath.Dir(out), "layout-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	images, err := layout.Write(temp, empty.Index)
	if err != nil {
		return fmt.Errorf("write an image layout: %w", err)
	}
	layers := layers{}
	for len(commands) > 0 {
		ref := commands[0].Ref
		end := 1
		for end < len(commands) && commands[end].Ref == ref {
			end++
		}
		if err := layers.write(images, commands[:end]); err != nil {
			return fmt.Errorf("build image %s: %w", ref, err)
		}
		commands = commands[end:]
	}
	return TarFolder(out, temp, "/")
}

// layers are the layers of binaries by the binary and its paths. Images of the
// same binary share its layer, because the compression takes a while.
type layers map[[2]string]v1.Layer

// write adds an image to a layout: an index, if it has several architectures.
func (l layers) write(to layout.Path, commands []Command) error {
	// The second one is what other tools than containerd read.
	named := layout.WithAnnotations(map[string]string{"io.containerd.image.name": commands[0].Ref, "org.opencontainers.image.ref.name": commands[0].Ref})
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, c := range commands {
		img, err := l.image(c)
		if err != nil {
			return err
		}
		if len(commands) == 1 {
			return to.AppendImage(img, named)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: c.arch()}},
		})
	}
	return to.AppendIndex(index, named)
}

// image returns the image of a command.
func (l layers) image(c Command) (_ v1.Image, err error) {
	file := [2]string{c.Binary, strings.Join(c.paths(), "\n")}
	if l[file] == nil {
		if l[file], err = c.layer(); err != nil {
			return nil, err
		}
	}
	return c.image(l[file])
}

func (c Command) arch() string { return cmp.Or(c.Arch, runtime.GOARCH) }

func (c Command) paths() []string {
	if len(c.Paths) > 0 {
		return c.Paths
	}
	return []string{c.Path}
}

func (c Command) layer() (v1.Layer, error) {
	entries := OneFile(c.Binary, 0o755, c.paths()...)
	return ZstdLayer(func(w io.Writer) error { return WriteTar(w, entries) })
}

func (c Command) image(binary v1.Layer) (v1.Image, error) {
	img := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
	return withConfig(c.arch(), img, append(append([]v1.Layer{}, c.Base...), binary), v1.Config{
		Entrypoint: []string{c.Path},
		Env:        append([]string{"PATH=" + path.Dir(c.Path) + ":/usr/sbin:/usr/bin"}, c.Env...),
		User:       c.User,
	})
}

// WithConfig adds layers to an image and sets its run-time configuration. The
// platform is Linux on this machine's architecture.
func WithConfig(base v1.Image, layers []v1.Layer, config v1.Config) (v1.Image, error) {
	return withConfig(runtime.GOARCH, base, layers, config)
}

func withConfig(arch string, base v1.Image, layers []v1.Layer, config v1.Config) (v1.Image, error) {
	img, err := mutate.AppendLayers(base, layers...)
	if err != nil {
		return nil, fmt.Errorf("add layers: %w", err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Config = "linux", arch, config
	return mutate.ConfigFile(img, file)
}

// ZstdLayer returns a compressed layer of the tar archive that write writes.
// Each node unpacks its images when its cluster is created. zstd is several
// times faster there than gzip.
func ZstdLayer(write func(io.Writer) error) (v1.Layer, error) {
	var raw bytes.Buffer
	if err := write(&raw); err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw.Bytes())), nil }
	return tarball.LayerFromOpener(opener,
		tarball.WithCompression(compression.ZStd), tarball.WithMediaType(types.OCILayerZStd), tarball.WithCompressedCaching)
}
