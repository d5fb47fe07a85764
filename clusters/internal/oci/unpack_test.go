// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	. "github.com/onsi/gomega"
)

// writeBinary writes a file that represents a binary.
func writeBinary(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "binary")
	NewWithT(t).Expect(os.WriteFile(path, []byte(content), 0o600)).To(Succeed())
	return path
}

// unpack unpacks an archive of a layout.
func unpack(t *testing.T, archive string) layout.Path {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	f, err := os.Open(archive)
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	for _, e := range readTar(t, f) {
		path := filepath.Join(dir, e.Path)
		if e.Dir {
			g.Expect(os.MkdirAll(path, 0o755)).To(Succeed())
			continue
		}
		g.Expect(os.WriteFile(path, e.Data, 0o600)).To(Succeed())
	}
	p, err := layout.FromPath(dir)
	g.Expect(err).NotTo(HaveOccurred())
	return p
}

// readTar returns the entries of a tar archive in the form that WriteTar
// accepts.
func readTar(t *testing.T, r io.Reader) []Entry {
	t.Helper()
	g := NewWithT(t)
	var entries []Entry
	for archive := tar.NewReader(r); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect([]int{h.Uid, h.Gid}).To(Equal([]int{0, 0}), "%s belongs to root", h.Name)
		g.Expect(h.ModTime.Unix()).To(BeZero(), "%s has a fixed time", h.Name)
		data, err := io.ReadAll(archive)
		g.Expect(err).NotTo(HaveOccurred())
		e := Entry{Path: h.Name, Mode: os.FileMode(h.Mode), Data: data, Dir: h.Typeflag == tar.TypeDir}
		if h.Typeflag == tar.TypeLink {
			e.Same = h.Linkname
		} else {
			e.Link = h.Linkname
		}
		entries = append(entries, e)
	}
}

func layerEntries(t *testing.T, layer v1.Layer) []Entry {
	t.Helper()
	r, err := layer.Uncompressed()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	defer r.Close()
	return readTar(t, r)
}
