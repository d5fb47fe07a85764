// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// docker lists the default paths of dockerd's files.
type docker struct {
	config           string // configuration of the user
	pid              string // pid file of dockerd
	containerdPid    string // pid file of the containerd that dockerd starts
	containerdSocket string // socket of a containerd that another process starts
}

var dockerDefaults = docker{
	config:           "/etc/docker/daemon.json",
	pid:              "/var/run/docker.pid",
	containerdPid:    "/var/run/docker/containerd/containerd.pid",
	containerdSocket: "/run/containerd/containerd.sock",
}

// clearStale removes files of a killed engine that prevent dockerd from
// starting. It keeps containers, shims and mounts: dockerd restores or removes
// its own.
func (s setup) clearStale(ctx context.Context) error {
	if pid, ok := s.proc.owner(s.docker.pid, "dockerd"); ok {
		return fmt.Errorf("dockerd runs (pid %d) but does not answer: see its log, or stop it and try again", pid)
	}
	if pid, ok := s.ownDaemon(); ok {
		return fmt.Errorf("the dockerd which this command started runs (pid %d) but does not answer: see %s, "+
			"or stop it with \"go run ./hack/engine stop\" and try again", pid, s.files.log)
	}
	// dockerd trusts a pid file if any process has that pid. With a stale pid
	// file of containerd, it connects to a containerd that does not run. Pids
	// are reused, especially after a reboot with a /run on disk.
	stale := []string{s.files.pid}
	if _, ok := s.proc.owner(s.docker.containerdPid, "containerd"); !ok {
		stale = append(stale, s.docker.containerdPid)
	}
	// If this socket exists, dockerd assumes that a containerd runs and does
	// not start its own.
	if abandoned(ctx, s.docker.containerdSocket) {
		stale = append(stale, s.docker.containerdSocket)
	}
	for _, path := range stale {
		err := os.Remove(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("remove the files of a killed engine: %w", err)
		}
		s.Printf(" ✓ removed %s of a killed engine", path)
	}
	return nil
}

// procfs is the path of a proc filesystem.
type procfs string

// owner returns the pid in a pid file. ok is true only if that process runs the
// given program.
func (p procfs) owner(pidFile, program string) (pid int, ok bool) {
	content, err := os.ReadFile(pidFile)
	if err != nil {
		return 0, false
	}
	pid, err = strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil || pid <= 0 {
		return 0, false
	}
	return pid, p.runs(pid, program)
}

// runs reports whether a process runs a program. It returns false for a process
// that has exited but is not yet reaped.
func (p procfs) runs(pid int, program string) bool {
	stat, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	// The format is "pid (comm) state ...". comm may contain parentheses and
	// spaces.
	open, end := strings.IndexByte(string(stat), '('), strings.LastIndex(string(stat), ") ")
	if open < 0 || end < open || end+2 >= len(stat) {
		return false
	}
	state := stat[end+2]
	return string(stat[open+1:end]) == program && state != 'Z' && state != 'X'
}

// hasArg reports whether the process was started with an argument.
func (p procfs) hasArg(pid int, arg string) bool {
	cmdline, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "cmdline"))
	return err == nil && slices.Contains(strings.Split(string(cmdline), "\x00"), arg)
}

// abandoned reports whether a socket exists but no process listens on it.
func abandoned(ctx context.Context, path string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		conn.Close()
		return false
	}
	return errors.Is(err, unix.ECONNREFUSED)
}
