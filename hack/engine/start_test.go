package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestStartAndStop(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "docker", "dockerd")
	write(w.files.log, "of the last one")
	g.Expect(w.startDaemon(t.Context(), []string{"--default-runtime=draconform"})).To(Succeed())
	g.Expect(w.calls(t)).To(ContainElement("dockerd --default-runtime=draconform --pidfile=" + w.files.pid))
	g.Expect(os.ReadFile(w.files.log)).To(BeEquivalentTo("API listen\n"))
	g.Expect(os.ReadFile(w.files.log + ".old")).To(BeEquivalentTo("of the last one"))

	pid, ok := w.ownDaemon()
	g.Expect(ok).To(BeTrue())
	g.Expect(w.status(t.Context())).To(Succeed())
	g.Expect(w.out.String()).To(HaveSuffix(" ✓ docker 1.2.3 answers, started by this command (pid " + strconv.Itoa(pid) + ")\n"))

	g.Expect(w.stop(t.Context())).To(Succeed())
	g.Expect(w.proc.runs(pid, "dockerd")).To(BeFalse())
	g.Expect(w.status(t.Context())).To(MatchError(ContainSubstring("Cannot connect to the Docker daemon")))
	g.Expect(w.stop(t.Context())).To(Succeed(), "nothing to stop")
	g.Expect(w.out.String()).To(HaveSuffix(" ✓ no engine runs that this command started\n"))
}

func TestStartSaysWhyNot(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "docker", "dockerd")
	write(filepath.Join(w.dir, "dockerd fails"), "failed to start daemon: no iptables")
	err := w.startDaemon(t.Context(), nil)
	g.Expect(err).To(MatchError(ContainSubstring("has ended with exit status 1\nlast lines of " + w.files.log)))
	g.Expect(err).To(MatchError(ContainSubstring("failed to start daemon: no iptables")))
}

func TestStartLeavesNothingHalfStarted(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "docker", "dockerd")
	write(filepath.Join(w.dir, "docker fails"), "deaf")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- w.startDaemon(ctx, nil) }()
	var pid int
	g.Eventually(func() (ok bool) { pid, ok = w.ownDaemon(); return }, time.Minute).Should(BeTrue(), "the daemon runs")
	cancel()
	g.Eventually(failed, time.Minute).Should(Receive(MatchError(context.Canceled)))
	g.Eventually(func() bool { return w.proc.runs(pid, "dockerd") }, time.Minute).Should(BeFalse())
}

func TestStartRespectsTheUsersConfiguration(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "docker", "dockerd")
	write(w.docker.config, `{"pidfile":"/run/mine.pid"}`)
	g.Expect(w.startDaemon(t.Context(), nil)).To(MatchError(ContainSubstring("dockerd does not start if it is set twice")))
	g.Expect(filepath.Join(w.dir, "calls")).NotTo(BeAnExistingFile())
}

func TestLockIsForOne(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t)
	release, err := w.files.acquire(t.Context())
	g.Expect(err).NotTo(HaveOccurred())

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = w.files.acquire(ctx)
	g.Expect(err).To(MatchError(ContainSubstring("which another run holds")))

	second := make(chan error, 1)
	go func() {
		release, err := w.files.acquire(t.Context())
		if err == nil {
			release()
		}
		second <- err
	}()
	g.Consistently(second, "300ms").ShouldNot(Receive())
	release()
	g.Eventually(second, time.Minute).Should(Receive(BeNil()))
}
