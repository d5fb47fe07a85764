// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package filelock provides locks between processes based on files.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"
)

// ErrHeld is returned if another process holds a lock.
var ErrHeld = errors.New("another process holds it")

// Lock creates the file if necessary and retries at the given interval until no
// other process holds the lock. It returns an error if the context ends first.
// The lock is released by unlock or by the end of the process.
func Lock(ctx context.Context, path string, every time.Duration) (unlock func(), err error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	err = wait.PollUntilContextCancel(ctx, every, true, func(context.Context) (bool, error) {
		err := take(f)
		if errors.Is(err, ErrHeld) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("wait for the lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

// Try is like Lock, but does not wait: the error wraps ErrHeld if another
// process holds the lock.
func Try(path string) (unlock func(), err error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if err := take(f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("take the lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}

func take(f *os.File) error {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		default:
			return err
		}
	}
}
