// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// fakeProc returns a proc filesystem with one process, whose pid is 42.
func fakeProc(t *testing.T, stat, cmdline string) procfs {
	t.Helper()
	g := NewWithT(t)
	proc := t.TempDir()
	dir := filepath.Join(proc, "42")
	g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
	write(filepath.Join(dir, "stat"), stat)
	write(filepath.Join(dir, "cmdline"), cmdline)
	return procfs(proc)
}

func TestOwner(t *testing.T) {
	const alive = "42 (dockerd) S 1 42 42 0 -1"
	for name, test := range map[string]struct {
		pidFile string
		stat    string
		want    bool
	}{
		"alive":                   {"42", alive, true},
		"alive, line end":         {"42\n", alive, true},
		"gone":                    {"43", alive, false},
		"not reaped":              {"42", "42 (dockerd) Z 1 42 42 0 -1", false},
		"dead":                    {"42", "42 (dockerd) X 1 42 42 0 -1", false},
		"another program":         {"42", "42 (sleep) S 1 42 42 0 -1", false},
		"a name with parentheses": {"42", "42 (x) S (dockerd) S 1 42", false},
		"a similar name":          {"42", "42 (dockerd-rootles) S 1 42", false},
		"no number":               {"dockerd", alive, false},
		"a negative number":       {"-42", alive, false},
		"empty":                   {"", alive, false},
		"an incomplete stat":      {"42", "42 (dockerd) ", false},
		"a stat without name":     {"42", "42", false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), "pid")
			write(path, test.pidFile)
			_, ok := fakeProc(t, test.stat, "").owner(path, "dockerd")
			g.Expect(ok).To(Equal(test.want))
		})
	}
	t.Run("no pid file", func(t *testing.T) {
		_, ok := fakeProc(t, alive, "").owner("/absent", "dockerd")
		NewWithT(t).Expect(ok).To(BeFalse())
	})
}

func TestClearStaleRemovesFilesOfAKilledEngine(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t)
	e.proc = fakeProc(t, "42 (sleep) S 1", "sleep")
	write(e.files.pid, "42")
	write(e.docker.pid, "42")
	write(e.docker.containerdPid, "42")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", e.docker.containerdSocket)
	g.Expect(err).NotTo(HaveOccurred())
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	g.Expect(listener.Close()).To(Succeed())

	g.Expect(e.clearStale(t.Context())).To(Succeed())
	g.Expect(e.files.pid).NotTo(BeAnExistingFile())
	g.Expect(e.docker.containerdPid).NotTo(BeAnExistingFile())
	g.Expect(e.docker.containerdSocket).NotTo(BeAnExistingFile())
	g.Expect(e.docker.pid).To(BeAnExistingFile(), "our dockerd has another pid file")
	g.Expect(e.clearStale(t.Context())).To(Succeed(), "there is nothing to remove")
}

func TestClearStaleKeepsFilesInUse(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t)
	e.proc = fakeProc(t, "42 (containerd) S 1", "containerd")
	write(e.docker.containerdPid, "42")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", e.docker.containerdSocket)
	g.Expect(err).NotTo(HaveOccurred())
	defer listener.Close()

	g.Expect(e.clearStale(t.Context())).To(Succeed())
	g.Expect(e.docker.containerdPid).To(BeAnExistingFile())
	g.Expect(e.docker.containerdSocket).To(BeAnExistingFile())
}

func TestClearStaleRejectsARunningDaemon(t *testing.T) {
	const stat = "42 (dockerd) S 1"
	t.Run("of the user", func(t *testing.T) {
		g := NewWithT(t)
		e := newEnvironment(t)
		e.proc = fakeProc(t, stat, "dockerd")
		write(e.docker.pid, "42")
		g.Expect(e.clearStale(t.Context())).To(MatchError(HavePrefix("dockerd runs (pid 42) but does not answer")))
	})
	t.Run("ours", func(t *testing.T) {
		g := NewWithT(t)
		e := newEnvironment(t)
		e.proc = fakeProc(t, stat, "dockerd\x00--pidfile="+e.files.pid+"\x00")
		write(e.files.pid, "42")
		g.Expect(e.clearStale(t.Context())).To(MatchError(ContainSubstring("which this command started runs (pid 42)")))
		g.Expect(e.files.pid).To(BeAnExistingFile())
	})
	t.Run("not another one with the pid of ours", func(t *testing.T) {
		g := NewWithT(t)
		e := newEnvironment(t)
		e.proc = fakeProc(t, stat, "dockerd\x00--pidfile=/run/other.pid\x00")
		write(e.files.pid, "42")
		g.Expect(e.clearStale(t.Context())).To(Succeed())
		g.Expect(e.files.pid).NotTo(BeAnExistingFile())
	})
}
