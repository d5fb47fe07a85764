// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"archive/tar"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/oci"
)

const (
	libDir = "usr/lib/x86_64-linux-gnu/"
	loader = "/lib64/ld-linux-x86-64.so.2"
)

// debianEntries returns a small Debian system: the tools, the files that they
// load through several links, and other files.
func debianEntries(t *testing.T) map[string]oci.Entry {
	t.Helper()
	entries := map[string]oci.Entry{
		"usr/sbin/conntrack":                 {Data: elfOf(t, loader, "libc.so.6", "libnetfilter.so.3")},
		"usr/sbin/nft":                       {Data: elfOf(t, loader, "libc.so.6")},
		"usr/sbin/xtables-nft-multi":         {Data: elfOf(t, loader, "libxtables.so.12", "libc.so.6")},
		"usr/sbin/iptables":                  {Link: "/etc/alternatives/iptables"},
		"usr/lib64/ld-linux-x86-64.so.2":     {Link: "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"},
		libDir + "ld-linux-x86-64.so.2":      {Data: elfOf(t, "")},
		libDir + "libc.so.6":                 {Data: elfOf(t, "", "ld-linux-x86-64.so.2")},
		libDir + "libnetfilter.so.3":         {Link: "libnetfilter.so.3.8"},
		libDir + "libnetfilter.so.3.8":       {Data: elfOf(t, "", "libmnl.so.0")},
		libDir + "libmnl.so.0":               {Link: "/usr/lib/x86_64-linux-gnu/libmnl.so.0.2"},
		libDir + "libmnl.so.0.2":             {Data: elfOf(t, "", "libc.so.6")},
		libDir + "libxtables.so.12":          {Data: elfOf(t, "", "libc.so.6")},
		libDir + "xtables/libxt_comment.so":  {Data: elfOf(t, "", "libm.so.6", "libxtables.so.12")},
		libDir + "xtables/README":            {Data: []byte("read me")},
		libDir + "libm.so.6":                 {Data: elfOf(t, "", "libc.so.6")},
		libDir + "libunused.so.1":            {Data: elfOf(t, "", "libc.so.6")},
		"usr/games/libmnl.so.0":              {Data: []byte("no library")},
		"usr/lib/apps/of/others/libmnl.so.0": {Data: []byte("not where the loader looks")},
		"usr/bin/ls":                         {Data: elfOf(t, loader, "libunused.so.1")},
	}
	for _, top := range []string{"bin", "lib", "lib64", "sbin"} {
		entries[top] = oci.Entry{Link: "usr/" + top}
	}
	return entries
}

// filesystemOf returns a filesystem that was read from a tar archive, as
// mmdebstrap writes it.
func filesystemOf(t *testing.T, entries map[string]oci.Entry) filesystem {
	t.Helper()
	g := NewWithT(t)
	tarball := filepath.Join(t.TempDir(), "base.tar")
	var list []oci.Entry
	for _, path := range slices.Sorted(maps.Keys(entries)) {
		e := entries[path]
		e.Path, e.Mode = "./"+path, 0o755
		list = append(list, e)
	}
	g.Expect(oci.TarEntries(tarball, list)).To(Succeed())
	fs, err := readFilesystem(tarball)
	g.Expect(err).NotTo(HaveOccurred())
	return fs
}

func TestNetToolFilesIncludeAllLibraries(t *testing.T) {
	g := NewWithT(t)
	entries := debianEntries(t)
	picked, err := filesystemOf(t, entries).netToolFiles()
	g.Expect(err).NotTo(HaveOccurred())
	names := slices.Collect(maps.Keys(entries))
	for _, not := range []string{"usr/bin/ls", libDir + "libunused.so.1", libDir + "xtables/README", "usr/games/libmnl.so.0", "usr/lib/apps/of/others/libmnl.so.0"} {
		names = slices.DeleteFunc(names, func(name string) bool { return name == not })
	}
	for _, link := range netToolLinks {
		if link != "iptables" { // which is also in the base filesystem
			names = append(names, "usr/sbin/"+link)
		}
	}
	g.Expect(slices.Collect(maps.Keys(picked))).To(ConsistOf(names))
	g.Expect(picked["usr/sbin/iptables"].header.Linkname).To(Equal("xtables-nft-multi"), "not to Debian's alternatives")
}

func TestNetToolFilesCanBeReadAgain(t *testing.T) {
	g := NewWithT(t)
	entries := debianEntries(t)
	picked, err := filesystemOf(t, entries).netToolFiles()
	g.Expect(err).NotTo(HaveOccurred())
	path := filepath.Join(t.TempDir(), "tools.tar")
	f, err := os.Create(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(picked.write(f)).To(Succeed())
	g.Expect(f.Close()).To(Succeed())
	read, err := readFilesystem(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read).To(HaveLen(len(picked)))
	g.Expect(read["usr/sbin/nft"].data).To(Equal(entries["usr/sbin/nft"].Data))
	g.Expect(read["usr/sbin/nft"].header.Mode).To(BeEquivalentTo(0o755))
	g.Expect(read["lib64"].header.Typeflag).To(BeEquivalentTo(tar.TypeSymlink))
	g.Expect(read["lib64"].header.Linkname).To(Equal("usr/lib64"))
}

func TestNetToolFilesErrorNamesTheMissingFile(t *testing.T) {
	for missing, want := range map[string]string{
		"usr/sbin/nft":                 "collect the libraries of usr/sbin/nft: usr/sbin/nft is not in the base filesystem",
		libDir + "libm.so.6":           "collect the libraries of " + libDir + "xtables/libxt_comment.so: " + libDir + "xtables/libxt_comment.so needs libm.so.6, which is not in the base filesystem",
		libDir + "libnetfilter.so.3.8": "collect the libraries of usr/sbin/conntrack: " + libDir + "libnetfilter.so.3.8 is not in the base filesystem",
	} {
		t.Run(missing, func(t *testing.T) {
			entries := debianEntries(t)
			delete(entries, missing)
			_, err := filesystemOf(t, entries).netToolFiles()
			NewWithT(t).Expect(err).To(MatchError(want))
		})
	}
	t.Run("the loader", func(t *testing.T) {
		entries := debianEntries(t)
		delete(entries, "usr/lib64/ld-linux-x86-64.so.2")
		_, err := filesystemOf(t, entries).netToolFiles()
		NewWithT(t).Expect(err).To(MatchError(HaveSuffix("usr/lib64/ld-linux-x86-64.so.2 is not in the base filesystem")))
	})
}

func TestReadFilesystemErrors(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "base.tar")
	g.Expect(os.WriteFile(path, []byte("this is no tar archive, though it is long enough for a header block"+string(make([]byte, 512))), 0o600)).To(Succeed())
	_, err := readFilesystem(path)
	g.Expect(err).To(MatchError(HavePrefix("read " + path + ": ")))
	_, err = readFilesystem("/nonexistent")
	g.Expect(err).To(MatchError(os.ErrNotExist))
}
