// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// fileLayer is a tar archive on disk. The library's own layers compress their
// content. That takes twice as long as everything else and has no benefit for a
// local engine.
type fileLayer struct {
	path   string
	digest v1.Hash
	size   int64
}

// FileLayer returns an uncompressed layer from a tar archive on disk.
func FileLayer(path string) (v1.Layer, error) {
	f, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("read layer: %w", err)
	}
	defer func() { _ = f.Close() }()
	digest, size, err := v1.SHA256(f)
	if err != nil {
		return nil, fmt.Errorf("read layer: %w", err)
	}
	return fileLayer{path, digest, size}, nil
}

func (l fileLayer) open() (io.ReadCloser, error) { return os.Open(l.path) }

// Digest and the methods below implement v1.Layer.
func (l fileLayer) Digest() (v1.Hash, error)             { return l.digest, nil }
func (l fileLayer) DiffID() (v1.Hash, error)             { return l.digest, nil }
func (l fileLayer) Compressed() (io.ReadCloser, error)   { return l.open() }
func (l fileLayer) Uncompressed() (io.ReadCloser, error) { return l.open() }
func (l fileLayer) Size() (int64, error)                 { return l.size, nil }
func (l fileLayer) MediaType() (types.MediaType, error)  { return types.DockerUncompressedLayer, nil }
