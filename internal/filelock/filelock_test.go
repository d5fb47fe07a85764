// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package filelock

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const every = 10 * time.Millisecond

func TestLockWaitsUntilTheLockIsReleased(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "a.lock")
	unlock, err := Lock(t.Context(), path, every)
	g.Expect(err).NotTo(HaveOccurred())
	locked := make(chan error)
	go func() {
		unlockSecond, err := Lock(t.Context(), path, every)
		if err == nil {
			unlockSecond()
		}
		locked <- err
	}()
	g.Consistently(locked).WithTimeout(100 * time.Millisecond).ShouldNot(Receive())
	unlock()
	g.Eventually(locked).WithTimeout(30 * time.Second).Should(Receive(BeNil()))
}

func TestLockEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "a.lock")
	unlock, err := Lock(t.Context(), path, every)
	g.Expect(err).NotTo(HaveOccurred())
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Lock(ctx, path, every)
	g.Expect(err).To(MatchError("wait for the lock " + path + ": context canceled"))
}

func TestLockNeedsAnExistingFolder(t *testing.T) {
	_, err := Lock(t.Context(), filepath.Join(t.TempDir(), "missing", "a.lock"), every)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("no such file or directory")))
}

func TestTryDoesNotWait(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "a.lock")
	unlock, err := Try(path)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = Try(path)
	g.Expect(err).To(MatchError(ErrHeld))
	unlock()
	unlock, err = Try(path)
	g.Expect(err).NotTo(HaveOccurred())
	unlock()
}
