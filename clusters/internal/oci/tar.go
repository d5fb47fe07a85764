// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package oci

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Entry is one file of a layer.
type Entry struct {
	Path   string      // absolute path in the image
	Mode   fs.FileMode // permissions
	Source string      // a file of this machine; or
	Data   []byte      // the content; or
	Link   string      // target of a symbolic link; or
	Same   string      // absolute path of an earlier entry, target of a hard link; or
	Dir    bool        // a folder
}

// WriteTar writes entries as a tar archive. They are owned by root and have a
// fixed time: equal inputs produce equal layers.
func WriteTar(w io.Writer, entries []Entry) error {
	out := tar.NewWriter(w)
	for _, e := range entries {
		if err := e.write(out); err != nil {
			return fmt.Errorf("add %s: %w", e.Path, err)
		}
	}
	return out.Close()
}

func (e Entry) write(out *tar.Writer) error {
	h := &tar.Header{Name: strings.TrimPrefix(e.Path, "/"), Mode: int64(e.Mode), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	switch {
	case e.Dir:
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
		return out.WriteHeader(h)
	case e.Link != "":
		h.Typeflag, h.Linkname = tar.TypeSymlink, e.Link
		return out.WriteHeader(h)
	case e.Same != "":
		h.Typeflag, h.Linkname = tar.TypeLink, strings.TrimPrefix(e.Same, "/")
		return out.WriteHeader(h)
	case e.Source == "":
		h.Typeflag, h.Size = tar.TypeReg, int64(len(e.Data))
		if err := out.WriteHeader(h); err != nil {
			return err
		}
		_, err := out.Write(e.Data)
		return err
	}
	f, err := os.Open(e.Source)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	h.Typeflag, h.Size = tar.TypeReg, info.Size()
	if err := out.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(out, f)
	return err
}

// OneFile returns the entries for a file of this machine that has several
// paths.
func OneFile(source string, mode fs.FileMode, paths ...string) []Entry {
	entries := []Entry{{Path: paths[0], Source: source, Mode: mode}}
	for _, path := range paths[1:] {
		entries = append(entries, Entry{Path: path, Same: paths[0], Mode: mode})
	}
	return entries
}

// Tree returns the entries for a folder of this machine, placed at path.
func Tree(source, path string, mode func(name string, info fs.FileInfo) fs.FileMode) ([]Entry, error) {
	var entries []Entry
	err := filepath.WalkDir(source, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(source, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := Entry{Path: filepath.Join(path, rel), Mode: mode(rel, info)}
		switch {
		case d.IsDir():
			e.Dir = true
		case info.Mode().IsRegular():
			e.Source = name
		case info.Mode().Type() == fs.ModeSymlink:
			if e.Link, err = os.Readlink(name); err != nil {
				return err
			}
		default:
			return nil // for example a socket of a daemon that has ended
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read folder %s: %w", source, err)
	}
	return entries, nil
}

// TarFolder writes a folder, placed at path, as a tar archive.
func TarFolder(out, folder, path string) error {
	entries, err := Tree(folder, path, func(_ string, info fs.FileInfo) fs.FileMode { return info.Mode().Perm() })
	if err != nil {
		return err
	}
	return TarEntries(out, entries)
}

// TarEntries writes entries as a tar archive.
func TarEntries(out string, entries []Entry) (err error) {
	f, err := os.Create(filepath.Clean(out))
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	return WriteTar(f, entries)
}
