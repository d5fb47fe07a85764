// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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
	e := newEnvironment(t, "docker", "dockerd")
	write(e.files.log, "of the last one")
	g.Expect(e.startDaemon(t.Context(), []string{"--default-runtime=draconform"})).To(Succeed())
	g.Expect(e.calls(t)).To(ContainElement("dockerd --default-runtime=draconform --pidfile=" + e.files.pid))
	g.Expect(os.ReadFile(e.files.log)).To(BeEquivalentTo("API listen\n"))
	g.Expect(os.ReadFile(e.files.log + ".old")).To(BeEquivalentTo("of the last one"))

	pid, ok := e.ownDaemon()
	g.Expect(ok).To(BeTrue())
	g.Expect(e.status(t.Context())).To(Succeed())
	g.Expect(e.out.String()).To(HaveSuffix(" ✓ docker 1.2.3 answers, started by this command (pid " + strconv.Itoa(pid) + ")\n"))

	g.Expect(e.stop(t.Context())).To(Succeed())
	g.Expect(e.proc.runs(pid, "dockerd")).To(BeFalse())
	g.Expect(e.status(t.Context())).To(MatchError(ContainSubstring("Cannot connect to the Docker daemon")))
	g.Expect(e.stop(t.Context())).To(Succeed(), "nothing to stop")
	g.Expect(e.out.String()).To(HaveSuffix(" ✓ no engine runs that this command started\n"))
}

func TestStartReportsTheLog(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "docker", "dockerd")
	write(filepath.Join(e.dir, "dockerd fails"), "failed to start daemon: no iptables")
	err := e.startDaemon(t.Context(), nil)
	g.Expect(err).To(MatchError(ContainSubstring("has ended with exit status 1\nlast lines of " + e.files.log)))
	g.Expect(err).To(MatchError(ContainSubstring("failed to start daemon: no iptables")))
}

func TestInterruptedStartStopsTheDaemon(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "docker", "dockerd")
	write(filepath.Join(e.dir, "docker fails"), "not ready")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() { failed <- e.startDaemon(ctx, nil) }()
	var pid int
	g.Eventually(func() (ok bool) { pid, ok = e.ownDaemon(); return }, time.Minute).Should(BeTrue(), "the daemon runs")
	cancel()
	g.Eventually(failed, time.Minute).Should(Receive(MatchError(context.Canceled)))
	g.Eventually(func() bool { return e.proc.runs(pid, "dockerd") }, time.Minute).Should(BeFalse())
}

func TestStartRespectsTheUsersConfiguration(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "docker", "dockerd")
	write(e.docker.config, `{"pidfile":"/run/mine.pid"}`)
	g.Expect(e.startDaemon(t.Context(), nil)).To(MatchError(ContainSubstring("dockerd does not start if it is set twice")))
	g.Expect(filepath.Join(e.dir, "calls")).NotTo(BeAnExistingFile())
}

func TestLockIsExclusive(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t)
	release, err := e.files.acquire(t.Context())
	g.Expect(err).NotTo(HaveOccurred())

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = e.files.acquire(ctx)
	g.Expect(err).To(MatchError(ContainSubstring("which another run holds")))

	second := make(chan error, 1)
	go func() {
		release, err := e.files.acquire(t.Context())
		if err == nil {
			release()
		}
		second <- err
	}()
	g.Consistently(second, "300ms").ShouldNot(Receive())
	release()
	g.Eventually(second, time.Minute).Should(Receive(BeNil()))
}
