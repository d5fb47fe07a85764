package claims

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
)

const (
	lockFile = "checkpoint.lock"
	// lockInterval and lockTimeout are for processes that hold the lock only
	// while they write a few files.
	lockInterval = 5 * time.Millisecond
	lockTimeout  = 10 * time.Second
)

// exclusively runs f while nobody else changes the files. If other processes may
// do so, it runs with what they have left.
func (s *Store) exclusively(ctx context.Context, f func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.config.Shared {
		return f()
	}
	return locked(ctx, filepath.Join(s.config.DataDir, lockFile), func() error {
		var err error
		if s.prepared, err = s.config.loadCheckpoint(); err != nil {
			return err
		}
		return f()
	})
}

// refresh reads what other processes have prepared and unprepared.
func (s *Store) refresh() {
	if !s.config.Shared {
		return
	}
	prepared, err := s.config.loadCheckpoint()
	if err != nil {
		klog.Background().Error(err, "Tell what was prepared some time ago", "driver", s.config.Driver)
		return
	}
	s.prepared = prepared
}

// locked runs f while it holds the lock of a file, which ends with the process.
func locked(ctx context.Context, path string, f func() error) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("open lock: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	err = wait.PollUntilContextCancel(ctx, lockInterval, true, func(context.Context) (bool, error) {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return fmt.Errorf("lock %s, for at most %s: %w", path, lockTimeout, err)
	}
	return f()
}
