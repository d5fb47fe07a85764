// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/clusters/engine"
)

// readyTimeout bounds the wait for a started engine's first response. It
// usually takes seconds, and longer if the engine restores containers of a
// killed one.
const readyTimeout = 2 * time.Minute

// startService starts Docker as a service of systemd.
func (s setup) startService(ctx context.Context) error {
	starting, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	task := s.Task("start docker.service")
	out, err := exec.CommandContext(starting, "systemctl", "start", "docker").CombinedOutput()
	if err != nil {
		return task.Fail(fmt.Errorf("systemctl start docker: %w: %s", err, strings.TrimSpace(string(out))))
	}
	if err := waitForEngine(ctx, func() error { return nil }); err != nil {
		return task.Fail(err)
	}
	task.Done("")
	return nil
}

// startDaemon starts a dockerd that keeps running after this process has ended.
func (s setup) startDaemon(ctx context.Context, flags []string) error {
	flags = append(flags, "--pidfile="+s.files.pid)
	if err := checkConfig(s.docker.config, flags); err != nil {
		return err
	}
	task := s.Task("start dockerd, which writes to %s", s.files.log)
	pid, err := s.spawn(ctx, flags)
	if err != nil {
		return task.Fail(err)
	}
	err = waitForEngine(ctx, func() error { return exited(pid) })
	if err == nil {
		task.Done("")
		return nil
	}
	// Stop a partially started dockerd. It may have exited already.
	if killErr := unix.Kill(pid, unix.SIGTERM); killErr != nil && !errors.Is(killErr, unix.ESRCH) {
		err = errors.Join(err, fmt.Errorf("stop dockerd (pid %d): %w", pid, killErr))
	}
	if ctx.Err() != nil { // the log does not contain the reason
		return task.Fail(err)
	}
	return task.Fail(withLog(err, s.files.log))
}

// spawn starts dockerd in a new session, so that it receives no signals of a
// terminal.
func (s setup) spawn(ctx context.Context, flags []string) (pid int, err error) {
	if err := os.Rename(s.files.log, s.files.log+".old"); err != nil && !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("rename the log of the last dockerd: %w", err)
	}
	log, err := os.OpenFile(s.files.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return 0, fmt.Errorf("open the log of dockerd: %w", err)
	}
	defer log.Close()
	// dockerd must keep running when the context ends.
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "dockerd", flags...)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start dockerd: %w", err)
	}
	return cmd.Process.Pid, nil
}

// waitForEngine waits until an engine responds or alive returns an error.
func waitForEngine(ctx context.Context, alive func() error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 200*time.Millisecond, readyTimeout, true, func(ctx context.Context) (bool, error) {
		if err := alive(); err != nil {
			return false, err
		}
		_, last = engine.Find(ctx)
		return last == nil, nil
	})
	if ctx.Err() != nil {
		return fmt.Errorf("wait for Docker: %w", ctx.Err())
	}
	if wait.Interrupted(err) {
		return fmt.Errorf("wait for Docker: %w (%w)", err, last)
	}
	return err
}

// exited returns an error if the child process has exited. It does not block.
func exited(pid int) error {
	var status unix.WaitStatus
	got, err := unix.Wait4(pid, &status, unix.WNOHANG, nil)
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("wait for dockerd (pid %d): %w", pid, err)
	}
	if got == pid {
		return fmt.Errorf("dockerd (pid %d) has ended with exit status %d", pid, status.ExitStatus())
	}
	return nil
}
