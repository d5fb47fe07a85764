// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"path/filepath"
	"time"

	"k8s.io/klog/v2"

	"github.com/draconform/draconform/internal/filelock"
)

const (
	lockFile = "checkpoint.lock"
	// lockInterval and lockTimeout assume that processes hold the lock only
	// while they write a few files.
	lockInterval = 5 * time.Millisecond
	lockTimeout  = 10 * time.Second
)

// exclusively runs f while no other goroutine or process changes the files. If
// the directories are shared, it first reads the checkpoint as other processes
// left it.
func (s *Store) exclusively(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.config.Shared {
		return f()
	}
	return locked(ctx, filepath.Join(s.config.DataDir, lockFile), func() error {
		var err error
		if s.prepared, err = s.load(); err != nil {
			return err
		}
		return f()
	})
}

// refresh reads the checkpoint if other processes may have changed it.
func (s *Store) refresh() {
	if !s.config.Shared {
		return
	}
	prepared, err := s.load()
	if err != nil {
		klog.Background().Error(err, "Cannot read the checkpoint, the prepared claims may be outdated", "driver", s.config.Driver)
		return
	}
	s.prepared = prepared
}

// locked runs f while it holds the lock of a file.
func locked(ctx context.Context, path string, f func() error) error {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	unlock, err := filelock.Lock(ctx, path, lockInterval)
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}
