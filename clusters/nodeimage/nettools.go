// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// netTools are the programs that kube-proxy and podroutes run, by their path on
// the node. iptables also loads the plugins in xtablesPlugins.
var netTools = []string{"usr/sbin/conntrack", "usr/sbin/nft", "usr/sbin/xtables-nft-multi"}

const xtablesPlugins = "/xtables/lib"

// netToolLinks are the names of symbolic links to xtables-nft-multi.
var netToolLinks = []string{"iptables", "iptables-restore", "iptables-save", "ip6tables", "ip6tables-restore", "ip6tables-save"}

// filesystem is a tar archive in memory, by path without a leading slash.
type filesystem map[string]file

type file struct {
	header *tar.Header
	data   []byte
}

func readFilesystem(tarball string) (filesystem, error) {
	f, err := os.Open(tarball)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	fs := filesystem{}
	r := tar.NewReader(f)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fs, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", tarball, err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", tarball, err)
		}
		fs[strings.Trim(path.Clean(h.Name), "/")] = file{h, data}
	}
}

// netToolFiles returns the network tools of the node with all files that they
// load. Images that need them use it as their base.
func (fs filesystem) netToolFiles() (filesystem, error) {
	picked := filesystem{}
	for _, top := range []string{"bin", "lib", "lib64", "sbin"} {
		if f, ok := fs[top]; ok {
			picked[top] = f // symbolic links into usr
		}
	}
	roots := slices.Clone(netTools)
	for name := range fs {
		if strings.Contains(name, xtablesPlugins) && strings.HasSuffix(name, ".so") {
			roots = append(roots, name)
		}
	}
	for _, root := range roots {
		if err := fs.pick(root, picked); err != nil {
			return nil, fmt.Errorf("collect the libraries of %s: %w", root, err)
		}
	}
	for _, name := range netToolLinks {
		picked["usr/sbin/"+name] = file{header: &tar.Header{
			Typeflag: tar.TypeSymlink, Name: "usr/sbin/" + name, Linkname: "xtables-nft-multi", Mode: 0o777,
		}}
	}
	return picked, nil
}

// pick adds a file to picked, together with the targets of its links and its
// shared libraries, recursively.
func (fs filesystem) pick(name string, picked filesystem) error {
	if _, ok := picked[name]; ok {
		return nil
	}
	f, ok := fs[name]
	if !ok {
		return fmt.Errorf("%s is not in the base filesystem", name)
	}
	picked[name] = f
	if f.header.Typeflag == tar.TypeSymlink {
		return fs.pick(fs.follow(name, f.header.Linkname), picked)
	}
	if !bytes.HasPrefix(f.data, []byte(elf.ELFMAG)) {
		return nil
	}
	binary, err := elf.NewFile(bytes.NewReader(f.data))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	needed, err := binary.ImportedLibraries()
	if err != nil {
		return fmt.Errorf("read the libraries of %s: %w", name, err)
	}
	if interp := binary.Section(".interp"); interp != nil {
		raw, err := interp.Data()
		if err != nil {
			return fmt.Errorf("read the loader of %s: %w", name, err)
		}
		loader := string(bytes.TrimRight(raw, "\x00"))
		if err := fs.pick(fs.follow("", loader), picked); err != nil {
			return err
		}
	}
	for _, library := range needed {
		found, ok := fs.library(library)
		if !ok {
			return fmt.Errorf("%s needs %s, which is not in the base filesystem", name, library)
		}
		if err := fs.pick(found, picked); err != nil {
			return err
		}
	}
	return nil
}

// library finds a shared library in usr/lib or its subfolder of the platform.
func (fs filesystem) library(soname string) (string, bool) {
	var found []string
	for name := range fs {
		if path.Base(name) == soname && strings.HasPrefix(name, "usr/lib") && strings.Count(name, "/") <= 3 {
			found = append(found, name)
		}
	}
	slices.Sort(found)
	if len(found) == 0 {
		return "", false
	}
	return found[0], true
}

// follow returns the path of the target of a link at name. It resolves the
// links of the top level (lib64 to usr/lib64).
func (fs filesystem) follow(name, target string) string {
	if !path.IsAbs(target) {
		target = path.Join(path.Dir(name), target)
	}
	target = strings.Trim(path.Clean("/"+target), "/")
	top, rest, _ := strings.Cut(target, "/")
	if f, ok := fs[top]; ok && f.header.Typeflag == tar.TypeSymlink {
		return path.Join(f.header.Linkname, rest) //nolint:gosec // The path is within the archive. Nothing is extracted to it.
	}
	return target
}

// write writes the files as a tar archive, sorted by path.
func (fs filesystem) write(w io.Writer) error {
	names := make([]string, 0, len(fs))
	for name := range fs {
		names = append(names, name)
	}
	slices.Sort(names)
	out := tar.NewWriter(w)
	for _, name := range names {
		f := fs[name]
		h := *f.header
		h.Name, h.Size = name, int64(len(f.data))
		if err := out.WriteHeader(&h); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if _, err := out.Write(f.data); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	return out.Close()
}
