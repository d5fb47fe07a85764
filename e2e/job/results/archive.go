// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package results

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// maxFiles and maxBytes limit what [Extract] writes. The folder of a run in
// which every spec failed is far smaller.
const (
	maxFiles = 100_000
	maxBytes = 4 << 30
)

// Archive writes a folder and its files as a compressed tar archive. Names in
// the archive begin with the name of the folder.
func Archive(w io.Writer, folder string) error {
	compressed := gzip.NewWriter(w)
	out := tar.NewWriter(compressed)
	root := filepath.Base(folder)
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		return add(out, name, path.Join(root, filepath.ToSlash(rel)), d)
	})
	if err != nil {
		return fmt.Errorf("archive %s: %w", folder, err)
	}
	return errors.Join(out.Close(), compressed.Close())
}

// add adds a file or a folder. A run leaves nothing else. A file that still
// grows is cut at its current size.
func add(out *tar.Writer, name, as string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if !d.IsDir() && !info.Mode().IsRegular() {
		return nil
	}
	header, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	header.Name, header.Uid, header.Gid, header.Uname, header.Gname = as, 0, 0, "", ""
	if d.IsDir() {
		header.Name += "/"
		return out.WriteHeader(header)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.CopyN(out, f, header.Size)
	return err
}

// Extract writes the files of an archive into a directory. Files outside of the
// directory, and anything but files and folders, are errors.
func Extract(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("extract the results: %w", err)
	}
	defer func() { _ = root.Close() }()
	compressed, err := gzip.NewReader(r)
	if err != nil {
		return fmt.Errorf("extract the results: %w", err)
	}
	in := tar.NewReader(compressed)
	left := int64(maxBytes)
	for range maxFiles {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return readChecksum(compressed, left)
		}
		if err != nil {
			return fmt.Errorf("extract the results: %w", err)
		}
		if left -= header.Size; left < 0 {
			return errTooLarge
		}
		if err := extractOne(root, in, header); err != nil {
			return fmt.Errorf("extract %s of the results: %w", header.Name, err)
		}
	}
	return fmt.Errorf("extract the results: they have more than %d files", maxFiles)
}

// errTooLarge is returned by [Extract] for more than maxBytes.
var errTooLarge = fmt.Errorf("extract the results: they are larger than %d bytes", int64(maxBytes))

// readChecksum reads what follows the last file of an archive: padding of less
// than left bytes, and the checksum, which the end of the stream has verified.
func readChecksum(compressed io.Reader, left int64) error {
	_, err := io.CopyN(io.Discard, compressed, left+1)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return fmt.Errorf("extract the results: %w", err)
	}
	return errTooLarge
}

func extractOne(root *os.Root, in io.Reader, header *tar.Header) error {
	name := filepath.FromSlash(path.Clean(header.Name))
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeReg:
	default:
		return fmt.Errorf("it is neither a file nor a folder, but of type %q", header.Typeflag)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = io.CopyN(f, in, header.Size)
	return errors.Join(err, f.Close())
}
