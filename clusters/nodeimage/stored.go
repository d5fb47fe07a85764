// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/internal/filelock"
)

// Stored is a finished artifact in the cache.
type Stored struct {
	// Name is the name of its folder: the name of the artifact and the key of its
	// inputs.
	Name string `json:"name"`
	// Bytes is the total size of its files. A file that several artifacts share
	// counts for each of them.
	Bytes int64 `json:"bytes"`
	// Finished is the time when the artifact was finished.
	Finished time.Time `json:"finished"`
	// Release is the release whose node image consists of these layers, if this
	// version of draconform would build the same layers. It is empty otherwise.
	Release string `json:"release,omitempty"`
}

// layersArtifact is the name of the artifact with the layers of an image. Once it
// is finished, the other artifacts are not needed any more.
const layersArtifact = "layers"

// artifactRE matches the folders of finished artifacts.
var artifactRE = regexp.MustCompile(`^[a-z]+-[0-9a-f]{12}$`)

// ListStored returns the finished artifacts in a folder, sorted by name. An empty
// cacheDir selects [DefaultCacheDir]. If the folder does not exist, the list is
// empty.
func ListStored(cacheDir string) ([]Stored, error) {
	dir, err := cacheFolder(cacheDir)
	if err != nil {
		return nil, err
	}
	releases, err := layersOfReleases()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the artifacts of node images: %w", err)
	}
	var all []Stored
	for _, e := range entries {
		if !e.IsDir() || !artifactRE.MatchString(e.Name()) {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		size, err := sizeOf(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, Stored{Name: e.Name(), Bytes: size, Finished: info.ModTime(), Release: releases[e.Name()]})
	}
	return all, nil
}

// Prune removes everything except the layers of the node images of this version
// of draconform: the layers of other versions, all other artifacts, and the
// folders of interrupted builds. It returns the removed artifacts. While another
// process adds artifacts, the error wraps [filelock.ErrHeld].
func Prune(cacheDir string) ([]Stored, error) {
	dir, err := cacheFolder(cacheDir)
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Try(filepath.Join(dir, buildLock))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the folder does not exist
	}
	if err != nil {
		return nil, fmt.Errorf("remove artifacts of node images: %w", err)
	}
	defer unlock()
	all, err := ListStored(dir)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s Stored) bool { return s.Release != "" })
	for _, s := range all {
		if err := os.RemoveAll(filepath.Join(dir, s.Name)); err != nil {
			return nil, err
		}
	}
	partial, err := filepath.Glob(filepath.Join(dir, "*"+partialSuffix))
	if err != nil {
		return nil, err
	}
	for _, path := range partial {
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// layersOfReleases maps the names of the layers' folders to minor releases.
func layersOfReleases() (map[string]string, error) {
	in, err := readInputs()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, r := range clusters.All() {
		b := builder{inputs: in, release: r}
		names[layersArtifact+"-"+b.key()] = r.Minor
	}
	return names, nil
}

func cacheFolder(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	return DefaultCacheDir()
}

func sizeOf(dir string) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}
