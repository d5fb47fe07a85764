// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package results

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	. "github.com/onsi/gomega"
)

// archiveOf returns an archive with the given entries, each with the content "x"
// if it is a file.
func archiveOf(t *testing.T, entries ...tar.Header) []byte {
	t.Helper()
	g := NewWithT(t)
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	w := tar.NewWriter(compressed)
	for _, h := range entries {
		if h.Typeflag == tar.TypeReg {
			h.Size = 1
		}
		g.Expect(w.WriteHeader(&h)).To(Succeed())
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte("x"))
			g.Expect(err).NotTo(HaveOccurred())
		}
	}
	g.Expect(w.Close()).To(Succeed())
	g.Expect(compressed.Close()).To(Succeed())
	return out.Bytes()
}

// What a pod sends is not trusted.
func TestExtractStaysInItsDirectory(t *testing.T) {
	for name, test := range map[string]struct {
		entries []tar.Header
		want    string
	}{
		"parent folder": {[]tar.Header{{Name: "../out", Typeflag: tar.TypeReg}}, "extract ../out of the results: "},
		"absolute path": {[]tar.Header{{Name: "/out", Typeflag: tar.TypeReg}}, "extract /out of the results: "},
		"link":          {[]tar.Header{{Name: "link", Linkname: "/", Typeflag: tar.TypeSymlink}}, "extract link of the results: it is neither a file nor a folder, but of type '2'"},
		"same file":     {[]tar.Header{{Name: "a", Typeflag: tar.TypeReg}, {Name: "a", Typeflag: tar.TypeReg}}, "extract a of the results: "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			parent := t.TempDir()
			dir := filepath.Join(parent, "dir")
			g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
			err := Extract(bytes.NewReader(archiveOf(t, test.entries...)), dir)
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(os.ReadDir(parent)).To(HaveLen(1), "nothing is written outside of the directory")
		})
	}
}

// A part of an archive must not be taken for the whole.
func TestExtractFindsTruncatedArchives(t *testing.T) {
	g := NewWithT(t)
	whole := archiveOf(t, tar.Header{Name: "a", Typeflag: tar.TypeReg, Mode: 0o644}, tar.Header{Name: "b", Typeflag: tar.TypeReg, Mode: 0o644})
	for n := range whole {
		g.Expect(Extract(bytes.NewReader(whole[:n]), t.TempDir())).NotTo(Succeed(), "%d of %d bytes", n, len(whole))
	}
	g.Expect(Extract(bytes.NewReader(whole), t.TempDir())).To(Succeed())
}

// The checksum is behind the padding, so an archive with too much of it has not
// been verified.
func TestPaddingOfArchivesIsLimited(t *testing.T) {
	g := NewWithT(t)
	g.Expect(readChecksum(strings.NewReader("1234"), 4)).To(Succeed())
	g.Expect(readChecksum(strings.NewReader("12345"), 4)).To(MatchError(errTooLarge))
	g.Expect(readChecksum(iotest.ErrReader(gzip.ErrChecksum), 4)).To(MatchError(gzip.ErrChecksum))
}

func TestArchiveSkipsWhatIsNoFile(t *testing.T) {
	g := NewWithT(t)
	folder := folderOf(t, t.TempDir())
	g.Expect(os.Symlink("/etc/passwd", filepath.Join(folder, "link"))).To(Succeed())
	var out bytes.Buffer
	g.Expect(Archive(&out, folder)).To(Succeed())
	dir := t.TempDir()
	g.Expect(Extract(&out, dir)).To(Succeed())
	g.Expect(contents(t, dir)).To(And(HaveLen(2), HaveKey("20260102-030405-a1b2/report.yaml")))
}
