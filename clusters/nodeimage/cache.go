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

// cache stores the finished stages of builds, one folder each. The folder of an
// interrupted stage is not used as a finished one.
type cache struct {
	dir      string
	reporter *progress.Reporter
}

const (
	// partialSuffix is the suffix of a stage's folder until it is finished.
	partialSuffix = ".partial"
	// buildLock is held while an image is built: two builds at the same time
	// would only compete for resources, and Prune must not remove stages of a
	// running build.
	buildLock = "build.lock"
)

// stage is one step of a build whose result is a folder.
type stage struct {
	name string // also the prefix of the folder's name
	key  string // hash of the inputs
	what string // description for the user
	// build fills dir.
	build func(ctx context.Context, dir string, update func(string, ...any)) error
}

// DefaultCacheDir returns the default folder of finished stages:
// draconform/node-image in the user's cache folder.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder: %w", err)
	}
	return filepath.Join(dir, "draconform", "node-image"), nil
}

// has returns a stage's folder and whether the stage is finished.
func (c cache) has(s stage) (dir string, found bool) {
	dir = filepath.Join(c.dir, s.name+"-"+s.key)
	return dir, exists(dir)
}

// get returns the folder of a finished stage. It builds the stage if necessary.
func (c cache) get(ctx context.Context, s stage) (string, error) {
	done, found := c.has(s)
	if found {
		c.reporter.Drop(s.name)
		return done, nil
	}
	unlock, err := c.lock(ctx, s)
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(done) {
		c.reporter.Drop(s.name)
		return done, nil // finished by the process that held the lock
	}
	st := c.reporter.StageOf(s.name, "%s", s.what)
	// Remove the folder of an interrupted attempt. The Go build cache keeps the
	// compiled packages.
	partial := done + partialSuffix
	if err := os.RemoveAll(partial); err != nil {
		return "", st.Fail(err)
	}
	if err := os.MkdirAll(partial, 0o755); err != nil {
		return "", st.Fail(err)
	}
	if err := s.build(ctx, partial, st.Update); err != nil {
		return "", st.Fail(fmt.Errorf("%s: %w", s.what, err))
	}
	if err := os.Rename(partial, done); err != nil {
		return "", st.Fail(err)
	}
	st.Done("")
	return done, nil
}

// all returns the folders of independent stages by their names. Rows of stages
// are built in parallel. The stages of a row are built one after the other.
func (c cache) all(ctx context.Context, rows ...[]stage) (map[string]string, error) {
	var mu sync.Mutex
	built := map[string]string{}
	group, ctx := errgroup.WithContext(ctx)
	for _, row := range rows {
		group.Go(func() error {
			for _, s := range row {
				if err := ctx.Err(); err != nil {
					return err // another stage has failed
				}
				dir, err := c.get(ctx, s)
				if err != nil {
					return err
				}
				mu.Lock()
				built[s.name] = dir
				mu.Unlock()
			}
			return nil
		})
	}
	return built, group.Wait()
}

// lock prevents other processes from building the same stage.
func (c cache) lock(ctx context.Context, s stage) (func(), error) {
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, err
	}
	return filelock.Lock(ctx, filepath.Join(c.dir, s.name+"-"+s.key+".lock"), 500*time.Millisecond)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
