// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/internal/filelock"
)

// cache stores finished artifacts, one folder each. The folder of an interrupted
// build is not used.
type cache struct {
	dir      string
	reporter *progress.Reporter
}

const (
	// partialSuffix is the suffix of an artifact's folder until it is finished.
	partialSuffix = ".partial"
	// buildLock is the file of the lock of [cache.lockBuilds].
	buildLock = "build.lock"
)

// artifact is a folder that is built from inputs and stored under their key.
type artifact struct {
	name string // also the prefix of the folder's name
	key  string // hash of the inputs
	what string // description for the user
	// build writes the files of the artifact to dir.
	build func(ctx context.Context, dir string, update func(string, ...any)) error
}

// DefaultCacheDir returns the default folder of finished artifacts:
// draconform/node-image in the user's cache folder.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	return filepath.Join(dir, "draconform", "node-image"), nil
}

// has returns an artifact's folder and whether the artifact is finished.
func (c cache) has(a artifact) (dir string, found bool) {
	dir = filepath.Join(c.dir, a.name+"-"+a.key)
	return dir, exists(dir)
}

// get returns the folder of an artifact. It builds the artifact if necessary.
func (c cache) get(ctx context.Context, a artifact) (string, error) {
	done, found := c.has(a)
	if found {
		c.reporter.Drop(a.name)
		return done, nil
	}
	unlock, err := c.lock(ctx, a)
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(done) {
		c.reporter.Drop(a.name)
		return done, nil // finished by the process that held the lock
	}
	task := c.reporter.TaskOf(a.name, "%s", a.what)
	// Remove the folder of an interrupted attempt. The Go build cache keeps the
	// compiled packages.
	partial := done + partialSuffix
	if err := os.RemoveAll(partial); err != nil {
		return "", task.Fail(err)
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return "", task.Fail(err)
	}
	if err := a.build(ctx, partial, task.Update); err != nil {
		return "", task.Fail(fmt.Errorf("%s: %w", a.what, err))
	}
	if err := os.Rename(partial, done); err != nil {
		return "", task.Fail(err)
	}
	task.Done("")
	return done, nil
}

// all returns the folders of artifacts by their names. Rows of artifacts are built
// in parallel. The artifacts of a row are built one after the other.
func (c cache) all(ctx context.Context, rows ...[]artifact) (map[string]string, error) {
	var mu sync.Mutex
	built := map[string]string{}
	group, ctx := errgroup.WithContext(ctx)
	for _, row := range rows {
		group.Go(func() error {
			for _, a := range row {
				if err := ctx.Err(); err != nil {
					return err // the build of another artifact has failed
				}
				dir, err := c.get(ctx, a)
				if err != nil {
					return err
				}
				mu.Lock()
				built[a.name] = dir
				mu.Unlock()
			}
			return nil
		})
	}
	return built, group.Wait()
}

// lock prevents other processes from building the same artifact.
func (c cache) lock(ctx context.Context, a artifact) (func(), error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	return filelock.Lock(ctx, filepath.Join(c.dir, a.name+"-"+a.key+".lock"), 500*time.Millisecond)
}

// lockBuilds prevents other processes from building images, which would only
// compete for resources, and from removing artifacts.
func (c cache) lockBuilds(ctx context.Context) (func(), error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	return filelock.Lock(ctx, filepath.Join(c.dir, buildLock), time.Second)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
