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
		"alive":               {"42", alive, true},
		"alive, line end":     {"42\n", alive, true},
		"gone":                {"43", alive, false},
		"not reaped":          {"42", "42 (dockerd) Z 1 42 42 0 -1", false},
		"dead":                {"42", "42 (dockerd) X 1 42 42 0 -1", false},
		"another program":     {"42", "42 (sleep) S 1 42 42 0 -1", false},
		"a name with tricks":  {"42", "42 (x) S (dockerd) S 1 42", false},
		"a name like ours":    {"42", "42 (dockerd-rootles) S 1 42", false},
		"no number":           {"dockerd", alive, false},
		"a negative number":   {"-42", alive, false},
		"empty":               {"", alive, false},
		"a stat cut short":    {"42", "42 (dockerd) ", false},
		"a stat without name": {"42", "42", false},
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

func TestClearStaleRemovesWhatAKilledEngineLeft(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	w.proc = fakeProc(t, "42 (sleep) S 1", "sleep")
	write(w.files.pid, "42")
	write(w.docker.pid, "42")
	write(w.docker.containerdPid, "42")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", w.docker.containerdSocket)
	g.Expect(err).NotTo(HaveOccurred())
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	g.Expect(listener.Close()).To(Succeed())

	g.Expect(w.clearStale(t.Context())).To(Succeed())
	g.Expect(w.files.pid).NotTo(BeAnExistingFile())
	g.Expect(w.docker.containerdPid).NotTo(BeAnExistingFile())
	g.Expect(w.docker.containerdSocket).NotTo(BeAnExistingFile())
	g.Expect(w.docker.pid).To(BeAnExistingFile(), "not in our dockerd's way, and not ours")
	g.Expect(w.clearStale(t.Context())).To(Succeed(), "nothing left to remove")
}

func TestClearStaleKeepsWhatLives(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	w.proc = fakeProc(t, "42 (containerd) S 1", "containerd")
	write(w.docker.containerdPid, "42")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", w.docker.containerdSocket)
	g.Expect(err).NotTo(HaveOccurred())
	defer listener.Close()

	g.Expect(w.clearStale(t.Context())).To(Succeed())
	g.Expect(w.docker.containerdPid).To(BeAnExistingFile())
	g.Expect(w.docker.containerdSocket).To(BeAnExistingFile())
}

func TestClearStaleStopsBeforeADaemonThatIsDeaf(t *testing.T) {
	const stat = "42 (dockerd) S 1"
	t.Run("somebody else's", func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.proc = fakeProc(t, stat, "dockerd")
		write(w.docker.pid, "42")
		g.Expect(w.clearStale(t.Context())).To(MatchError(HavePrefix("dockerd runs (pid 42) but does not answer")))
	})
	t.Run("ours", func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.proc = fakeProc(t, stat, "dockerd\x00--pidfile="+w.files.pid+"\x00")
		write(w.files.pid, "42")
		g.Expect(w.clearStale(t.Context())).To(MatchError(ContainSubstring("which this command started runs (pid 42)")))
		g.Expect(w.files.pid).To(BeAnExistingFile())
	})
	t.Run("not one that has our old pid", func(t *testing.T) {
		g := NewWithT(t)
		w := newWorld(t)
		w.proc = fakeProc(t, stat, "dockerd\x00--pidfile=/run/other.pid\x00")
		write(w.files.pid, "42")
		g.Expect(w.clearStale(t.Context())).To(Succeed())
		g.Expect(w.files.pid).NotTo(BeAnExistingFile())
	})
}
