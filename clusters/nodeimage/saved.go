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
// draconform as a tar archive compressed with zstd. It returns the names of
// their stages. If there are none, the archive is empty.
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
			return nil, fmt.Errorf("save stage %s: %w", s.Name, err)
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
		return nil, fmt.Errorf("save stages: %w", err)
	}
	return saved, packed.Close()
}

type writeFunc func([]byte) (int, error)

func (f writeFunc) Write(p []byte) (int, error) { return f(p) }

// Load adds stages from an archive of [Save]. It skips stages that exist
// already and stages that this version of draconform does not use. It returns
// the names of the added stages. If the archive cannot be read, the cache is
// unchanged. If a stage cannot be moved into the cache, the stages before it
// are kept.
func Load(ctx context.Context, cacheDir string, r io.Reader) ([]string, error) {
	dir, err := cacheFolder(cacheDir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	useful, err := layersOfReleases()
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
			return nil, fmt.Errorf("read the archive of stages: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		name, file := path.Split(h.Name)
		name = strings.TrimSuffix(name, "/")
		if h.Typeflag != tar.TypeReg || !stageRE.MatchString(name) || !filepath.IsLocal(file) {
			return nil, fmt.Errorf("read the archive of stages: %q is not a file of a stage", h.Name)
		}
		if useful[name] == "" || exists(filepath.Join(dir, name)) {
			continue
		}
		if err := loadFile(archive, filepath.Join(temp, name), file); err != nil {
			return nil, fmt.Errorf("load stage %s: %w", name, err)
		}
	}
	return moveStages(temp, dir)
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

// moveStages moves complete stages into the cache.
func moveStages(from, dir string) ([]string, error) {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil, err
	}
	var moved []string
	for _, e := range entries {
		err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrExist) {
			continue // another process has added the stage
		}
		if err != nil {
			return moved, err
		}
		moved = append(moved, e.Name())
	}
	return moved, nil
}
