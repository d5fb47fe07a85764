// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/draconform/draconform/clusters/doctor"
	"github.com/draconform/draconform/clusters/internal/gobuild"
)

// diskForGo is the free disk in bytes that a cache of the go command needs if it
// is on another file system than the artifacts.
const diskForGo = 6 << 30

// space is the free disk that a build needs in a folder.
type space struct {
	dir   string
	bytes uint64
}

// checkDisks returns an error if a build would run out of disk space.
func (b *builder) checkDisks(ctx context.Context) error {
	builds, modules, err := gobuild.Caches(ctx)
	if err != nil {
		return err
	}
	return checkSpace([]space{{b.cache.dir, doctor.DiskToBuild}, {builds, diskForGo}, {modules, diskForGo}})
}

// checkSpace creates the folders. Of folders on the same file system, it checks
// the first one.
func checkSpace(needed []space) error {
	checked := map[any]bool{} // by device, whose type depends on the platform
	for _, s := range needed {
		if err := os.MkdirAll(s.dir, 0o755); err != nil {
			return err
		}
		var stat unix.Stat_t
		if err := unix.Stat(s.dir, &stat); err != nil {
			return fmt.Errorf("find the file system of %s: %w", s.dir, err)
		}
		if checked[stat.Dev] {
			continue
		}
		checked[stat.Dev] = true
		free, err := doctor.DiskFree(s.dir)
		if err != nil {
			return err
		}
		if free < s.bytes {
			const gib = 1 << 30
			return fmt.Errorf("building a node image needs %d GiB, the disk that holds %s has %.1f GiB free", s.bytes/gib, s.dir, float64(free)/gib)
		}
	}
	return nil
}
