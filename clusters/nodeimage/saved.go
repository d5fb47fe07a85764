// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/draconform/draconform/clusters/internal/oci"
)

// Save writes the finished layers of the node images of this version of
// draconform as a tar archive compressed with zstd. It returns the names of the
// artifacts. If there are none, the archive is empty.
func Save(ctx context.Context, cacheDir string, w io.Writer) ([]string, error) {
	dir, err := cacheFolder(cacheDir)
	if err != nil {
		return nil, err
	}
	all, err := ListStored(dir)
	if err != nil {
		return nil, err
	}
	packed, err := zstd.NewWriter(w)
	if err != nil {
		return nil, err
	}
	var saved []string
	var entries []oci.Entry
	for _, s := range all {
		if s.Release == "" {
			continue
		}
		files, err := os.ReadDir(filepath.Join(dir, s.Name))
		if err != nil {
			return nil, fmt.Errorf("save artifact %s: %w", s.Name, err)
		}
		for _, f := range files {
			if f.Type().IsRegular() {
				name := path.Join(s.Name, f.Name())
				entries = append(entries, oci.Entry{Path: name, Source: filepath.Join(dir, name), Mode: 0o644})
			}
		}
		saved = append(saved, s.Name)
	}
	untilDone := writeFunc(func(p []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return packed.Write(p)
	})
	if err := oci.WriteTar(untilDone, entries); err != nil {
		return nil, fmt.Errorf("save artifacts: %w", err)
	}
	return saved, packed.Close()
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// Load adds artifacts from an archive of [Save]. It skips artifacts that exist
// already and artifacts that this version of draconform does not use. It returns
// the names of the added artifacts. If the archive cannot be read, no artifact is
// added. If an artifact cannot be moved into the cache, the artifacts before it are
// kept.
func Load(ctx context.Context, cacheDir string, r io.Reader) ([]string, error) {
	dir, err := cacheFolder(cacheDir)
	if err != nil {
		return nil, err
	}
	unlock, err := cache{dir: dir}.lockBuilds(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	needed, err := layersOfReleases()
	if err != nil {
		return nil, err
	}
	unpacked, err := zstd.NewReader(r)
	if err != nil {
		return nil, err
	}
	defer unpacked.Close()
	temp, err := os.MkdirTemp(dir, "load-*"+partialSuffix)
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	archive := tar.NewReader(unpacked)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the archive of artifacts: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, file := path.Split(h.Name)
		name = strings.TrimSuffix(name, "/")
		if h.Typeflag != tar.TypeReg || !artifactRE.MatchString(name) || !filepath.IsLocal(file) {
			return nil, fmt.Errorf("read the archive of artifacts: %q is not a file of an artifact", h.Name)
		}
		if needed[name] == "" || exists(filepath.Join(dir, name)) {
			continue
		}
		if err := loadFile(archive, filepath.Join(temp, name), file); err != nil {
			return nil, fmt.Errorf("load artifact %s: %w", name, err)
		}
	}
	return moveArtifacts(temp, dir)
}

func loadFile(from io.Reader, dir, name string) (err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, from)
	return err
}

// moveArtifacts moves complete artifacts into the cache.
func moveArtifacts(from, dir string) ([]string, error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil, err
	}
	var moved []string
	for _, e := range entries {
		err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrExist) {
			continue // another process has added the artifact
		}
		if err != nil {
			return moved, err
		}
		moved = append(moved, e.Name())
	}
	return moved, nil
}
