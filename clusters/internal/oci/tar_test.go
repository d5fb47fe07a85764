// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"bytes"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestWriteTarWritesEachKindOfEntry(t *testing.T) {
	g := NewWithT(t)
	var archive bytes.Buffer
	g.Expect(WriteTar(&archive, []Entry{
		{Path: "/etc", Dir: true, Mode: 0o755},
		{Path: "/etc/data", Data: []byte("data"), Mode: 0o640},
		{Path: "/etc/empty", Mode: 0o644},
		{Path: "/etc/source", Source: writeBinary(t, "source"), Mode: 0o755},
		{Path: "/etc/link", Link: "../usr/data", Mode: 0o777},
		{Path: "/etc/same", Same: "/etc/source", Mode: 0o755},
	})).To(Succeed())
	g.Expect(readTar(t, &archive)).To(Equal([]Entry{
		{Path: "etc/", Dir: true, Mode: 0o755, Data: []byte{}},
		{Path: "etc/data", Data: []byte("data"), Mode: 0o640},
		{Path: "etc/empty", Data: []byte{}, Mode: 0o644},
		{Path: "etc/source", Data: []byte("source"), Mode: 0o755},
		{Path: "etc/link", Link: "../usr/data", Data: []byte{}, Mode: 0o777},
		{Path: "etc/same", Same: "etc/source", Data: []byte{}, Mode: 0o755},
	}))
}

func TestTreeHasFoldersFilesAndLinks(t *testing.T) {
	g := NewWithT(t)
	// The path of a Unix socket is limited to 107 bytes.
	dir, err := os.MkdirTemp("", "tree") //nolint:usetesting // The folder of t.TempDir contains the long name of the test.
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = os.RemoveAll(dir) }()
	g.Expect(os.Mkdir(filepath.Join(dir, "sub"), 0o700)).To(Succeed())
	file := filepath.Join(dir, "sub", "file")
	g.Expect(os.WriteFile(file, []byte("f"), 0o600)).To(Succeed())
	g.Expect(os.Symlink("file", filepath.Join(dir, "sub", "link"))).To(Succeed())
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(dir, "socket"))
	g.Expect(err).NotTo(HaveOccurred())
	defer socket.Close()
	entries, err := Tree(dir, "/opt/x", func(name string, info fs.FileInfo) fs.FileMode {
		if name == "sub/file" {
			return 0o755
		}
		return info.Mode().Perm()
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(entries).To(Equal([]Entry{
		{Path: "/opt/x", Dir: true, Mode: 0o700},
		{Path: "/opt/x/sub", Dir: true, Mode: 0o700},
		{Path: "/opt/x/sub/file", Source: file, Mode: 0o755},
		{Path: "/opt/x/sub/link", Link: "file", Mode: 0o777},
	}), "but no sockets")
}

func TestTarFolderIsReproducible(t *testing.T) {
	g := NewWithT(t)
	pack := func() []byte {
		dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out.tar")
		for _, name := range []string{"b", "a", "c"} {
			g.Expect(os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600)).To(Succeed())
		}
		g.Expect(TarFolder(out, dir, "/d")).To(Succeed())
		content, err := os.ReadFile(out)
		g.Expect(err).NotTo(HaveOccurred())
		return content
	}
	g.Expect(bytes.Equal(pack(), pack())).To(BeTrue())
}

func TestTarFolderErrorNamesTheFolder(t *testing.T) {
	err := TarFolder(filepath.Join(t.TempDir(), "out.tar"), "/nonexistent", "/")
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("read folder /nonexistent: ")))
}
