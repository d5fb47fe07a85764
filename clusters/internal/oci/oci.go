// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package oci creates container images from binaries of this machine without a
// container engine. The binary is added to an empty filesystem or to given
// layers.
package oci

import (
	"bytes"
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
}

// WriteArchive writes images as a tar archive of an OCI layout. containerd
// imports them under their references.
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
	// Images of the same binary share its layer, because the compression takes
	// a while.
	layers := map[[2]string]v1.Layer{}
	for _, c := range commands {
		file := [2]string{c.Binary, strings.Join(c.paths(), "\n")}
		if layers[file] == nil {
			if layers[file], err = c.layer(); err != nil {
				return fmt.Errorf("build image %s: %w", c.Ref, err)
			}
		}
		img, err := c.image(layers[file])
		if err != nil {
			return fmt.Errorf("build image %s: %w", c.Ref, err)
		}
		if err := images.AppendImage(img, layout.WithAnnotations(map[string]string{"io.containerd.image.name": c.Ref})); err != nil {
			return fmt.Errorf("write image %s: %w", c.Ref, err)
		}
	}
	return TarFolder(out, temp, "/")
}

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
	return WithConfig(img, append(append([]v1.Layer{}, c.Base...), binary), v1.Config{
		Entrypoint: []string{c.Path},
		Env:        append([]string{"PATH=" + path.Dir(c.Path) + ":/usr/sbin:/usr/bin"}, c.Env...),
		User:       c.User,
	})
}

// WithConfig adds layers to an image and sets its run-time configuration. The
// platform is Linux on this machine's architecture.
func WithConfig(base v1.Image, layers []v1.Layer, config v1.Config) (v1.Image, error) {
	img, err := mutate.AppendLayers(base, layers...)
	if err != nil {
		return nil, fmt.Errorf("add layers: %w", err)
	}
	file, err := img.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Config = "linux", runtime.GOARCH, config
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
