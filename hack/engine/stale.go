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

// docker are the files which dockerd uses unless told otherwise.
type docker struct {
	config           string // what the user has set
	pid              string // its own
	containerdPid    string // of the containerd that it starts
	containerdSocket string // of a containerd that somebody else starts
}

var dockerDefaults = docker{
	config:           "/etc/docker/daemon.json",
	pid:              "/var/run/docker.pid",
	containerdPid:    "/var/run/docker/containerd/containerd.pid",
	containerdSocket: "/run/containerd/containerd.sock",
}

// clearStale removes what an engine that was killed has left and what would
// keep dockerd from starting. Containers, shims and mounts are not touched:
// dockerd takes over or cleans up those of its own.
func (s setup) clearStale(ctx context.Context) error {
	if pid, ok := s.proc.owner(s.docker.pid, "dockerd"); ok {
		return fmt.Errorf("dockerd runs (pid %d) but does not answer: look at its log, or stop it and try again", pid)
	}
	if pid, ok := s.ownDaemon(); ok {
		return fmt.Errorf("the dockerd which this command started runs (pid %d) but does not answer: look at %s, "+
			"or stop it with \"go run ./hack/engine stop\" and try again", pid, s.files.log)
	}
	// dockerd believes a pid file if any process has that number, and
	// containerd's even so far that it then talks to a containerd that is not
	// there. Numbers are soon used again, the more so after a reboot with a
	// /run on disk.
	stale := []string{s.files.pid}
	if _, ok := s.proc.owner(s.docker.containerdPid, "containerd"); !ok {
		stale = append(stale, s.docker.containerdPid)
	}
	// dockerd takes this socket's mere existence for a containerd that runs,
	// and starts none.
	if abandoned(ctx, s.docker.containerdSocket) {
		stale = append(stale, s.docker.containerdSocket)
	}
	for _, path := range stale {
		err := os.Remove(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("remove what a killed engine left: %w", err)
		}
		s.Printf(" ✓ removed %s, left by an engine that was killed", path)
	}
	return nil
}

// procfs is where the kernel shows its processes.
type procfs string

// owner returns the process that a pid file names, ok only if it lives and is
// the program which the file belongs to.
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

// runs reports whether the process lives and runs the program. A process that
// has ended and is not yet reaped does not.
func (p procfs) runs(pid int, program string) bool {
	stat, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	// pid (comm) state ...: comm may itself hold parentheses and blanks.
	open, end := strings.IndexByte(string(stat), '('), strings.LastIndex(string(stat), ") ")
	if open < 0 || end < open || end+2 >= len(stat) {
		return false
	}
	state := stat[end+2]
	return string(stat[open+1:end]) == program && state != 'Z' && state != 'X'
}

// hasArg reports whether the process was started with this argument.
func (p procfs) hasArg(pid int, arg string) bool {
	cmdline, err := os.ReadFile(filepath.Join(string(p), strconv.Itoa(pid), "cmdline"))
	return err == nil && slices.Contains(strings.Split(string(cmdline), "\x00"), arg)
}

// abandoned reports whether a socket exists and nobody listens on it.
func abandoned(ctx context.Context, path string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "unix", path)
	if err == nil {
		conn.Close()
		return false
	}
	return errors.Is(err, unix.ECONNREFUSED)
}
