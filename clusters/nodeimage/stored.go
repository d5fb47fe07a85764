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

// Stored is a finished stage of a build, a folder of the cache.
type Stored struct {
	// Name of the folder: what the stage makes, and the key of its inputs.
	Name string
	// Bytes are the sizes of its files. A file that stages share counts for each.
	Bytes int64
	// Finished is when the stage was.
	Finished time.Time
	// Release whose node image these are the layers of, if that is what this
	// version of draconform would build; else empty.
	Release string
}

// layersStage is the stage that an image is made of; with it, the others are not
// needed again.
const layersStage = "layers"

// stageRE matches the folders of finished stages.
var stageRE = regexp.MustCompile(`^[a-z]+-[0-9a-f]{12}$`)

// ListStored lists the finished stages in a folder, [DefaultCacheDir] if it is
// empty, by name. A folder that is not there holds none.
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
		return nil, fmt.Errorf("list the stages of node images: %w", err)
	}
	var all []Stored
	for _, e := range entries {
		if !e.IsDir() || !stageRE.MatchString(e.Name()) {
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

// Prune removes all that the node images of this version of draconform are not
// made of: the layers of other versions, all other stages, and what interrupted
// builds left. It returns what it removed. The error wraps [filelock.ErrHeld]
// while an image is being built.
func Prune(cacheDir string) ([]Stored, error) {
	dir, err := cacheFolder(cacheDir)
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Try(filepath.Join(dir, buildLock))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // there is no such folder
	}
	if err != nil {
		return nil, fmt.Errorf("remove stages of node images: %w", err)
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

// layersOfReleases maps the names of the layers' folders to releases.
func layersOfReleases() (map[string]string, error) {
	in, err := readInputs()
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, r := range clusters.Releases() {
		b := builder{inputs: in, release: r}
		names[layersStage+"-"+b.key()] = r.Minor
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
