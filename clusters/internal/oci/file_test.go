// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
	. "github.com/onsi/gomega"
)

func TestFileLayerIsNotCompressed(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "layer.tar")
	g.Expect(TarEntries(path, []Entry{{Path: "/a", Data: []byte("1"), Mode: 0o600}})).To(Succeed())
	layer, err := FileLayer(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(layer.MediaType()).To(Equal(types.DockerUncompressedLayer))
	r, err := layer.Compressed()
	g.Expect(err).NotTo(HaveOccurred())
	defer r.Close()
	got, err := io.ReadAll(r)
	g.Expect(err).NotTo(HaveOccurred())
	want, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(bytes.Equal(got, want)).To(BeTrue(), "the unchanged archive")
	sum := sha256.Sum256(want)
	for _, digest := range []func() (v1.Hash, error){layer.Digest, layer.DiffID} {
		g.Expect(digest()).To(Equal(v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum[:])}))
	}
	g.Expect(layer.Size()).To(BeEquivalentTo(len(want)))
	_, err = FileLayer("/nonexistent.tar")
	g.Expect(err).To(MatchError("read layer: open /nonexistent.tar: no such file or directory"))
}
