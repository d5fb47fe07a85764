// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/clusters/engine"
)

// stopTimeout bounds the shutdown of dockerd. dockerd stops its containers with
// a grace period of 15 s.
const stopTimeout = time.Minute

// stop stops the dockerd that ensure started, including its containers.
func (s setup) stop(ctx context.Context) error {
	release, err := s.files.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	pid, ok := s.ownDaemon()
	if !ok {
		s.Printf(" ✓ no engine runs that this command started")
		return nil
	}
	task := s.Task("stop dockerd (pid %d)", pid)
	if err := unix.Kill(pid, unix.SIGTERM); err != nil {
		return task.Fail(fmt.Errorf("stop dockerd (pid %d): %w", pid, err))
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, stopTimeout, true, func(context.Context) (bool, error) {
		return !s.proc.runs(pid, "dockerd"), nil
	})
	if err != nil {
		return task.Fail(withLog(fmt.Errorf("wait for dockerd (pid %d) to end: %w", pid, err), s.files.log))
	}
	task.Done("")
	return nil
}

// status prints the running engine. It returns an error if there is none.
func (s setup) status(ctx context.Context) error {
	found, err := engine.Find(ctx)
	if err != nil {
		return err
	}
	if pid, ok := s.ownDaemon(); ok && found.Name() == "docker" {
		s.Printf(" ✓ docker %s answers, started by this command (pid %d)", found.Version(), pid)
		return nil
	}
	s.Printf(" ✓ %s %s answers", found.Name(), found.Version())
	return nil
}

// ownDaemon returns the pid of the dockerd that ensure started. Its command
// line must contain the path of the pid file: the pid alone may have been
// reused by another dockerd.
func (s setup) ownDaemon() (pid int, ok bool) {
	pid, ok = s.proc.owner(s.files.pid, "dockerd")
	return pid, ok && s.proc.hasArg(pid, "--pidfile="+s.files.pid)
}
