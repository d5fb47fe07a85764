// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// lots is longer than any operation in these tests.
const lots = time.Minute

// begunDir is an environment variable with the folder in which specs leave a file when
// they begin.
const begunDir = "DRACONFORM_TEST_BEGUN"

// waitingSpecs returns specs that wait until they are ended, with the same ids in each
// process of a run: two for its control plane, and two for another one.
func waitingSpecs() []suite.Spec {
	var specs []suite.Spec
	for _, id := range []string{"here", "here-later", "apart", "apart-later"} {
		specs = append(specs, suite.Spec{
			ID: id, Description: "It waits.", Profile: "p", Level: suite.Core, Component: env.Scheduler, Needs: []env.Need{env.NeedsSimulatedNodes},
			Body: func(ctx context.Context, _ *env.Env) {
				ginkgo.By("waiting for nothing")
				Expect(os.WriteFile(filepath.Join(os.Getenv(begunDir), id), nil, 0o600)).To(Succeed())
				Eventually(ctx, func() bool { return false }).WithTimeout(lots).Should(BeTrue())
			},
		})
	}
	return specs
}

// halfway is a run with two control planes and a process for each, whose first specs run.
type halfway struct {
	*runner
	cluster *controlPlaneCluster
	out     bytes.Buffer
	results map[string]suite.Result
	err     error
	ended   *suite.Ended
}

// endHalfway runs specs on two control planes. When the first spec of each runs, it sends
// a signal to a component, and the run has to end. Nothing may be left of it.
func endHalfway(t *testing.T, logs, component string, sig syscall.Signal) *halfway {
	t.Helper()
	g, temp, begun := NewWithT(t), t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	h := &halfway{}
	p, err := Config{Provider: ControlPlane, Parallel: 2, Progress: progress.New(&h.out), Worker: func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, self)
		cmd.Env = append(os.Environ(), isWorker+"=1", begunDir+"="+begun)
		return cmd
	}}.validate()
	g.Expect(err).NotTo(HaveOccurred())
	h.runner = &runner{plan: p, dir: t.TempDir(), total: 4}
	h.cluster = h.newControlPlane(controlPlaneParts{Programs: fakePrograms(t)})
	ctx, cancel := context.WithTimeout(t.Context(), lots)
	defer cancel()
	g.Expect(h.create(ctx, h.cluster)).To(Succeed())
	defer func() { g.Expect(h.cluster.remove(ctx)).To(Succeed()); h.expectNothing(t, temp) }()
	signalled := make(chan struct{})
	go func() {
		defer close(signalled)
		for _, name := range []string{"here", "apart"} {
			path := filepath.Join(begun, name)
			g.Eventually(path).WithTimeout(lots).Should(BeARegularFile())
		}
		g.Expect(syscall.Kill(h.pidOf(t, logs, component), sig)).To(Succeed())
	}()
	h.run(ctx)
	<-signalled
	return h
}

// run runs the specs as runSpecs does, without those of the first process.
func (h *halfway) run(ctx context.Context) {
	ctx, unwatch := h.cluster.watch(ctx)
	ctx, h.end = context.WithCancelCause(ctx)
	specs := waitingSpecs()
	h.results, h.err = runToTheEnd(ctx, h.runner, h.cluster, []share{{specs: specs[2:], apart: &h.cluster.parts}, {specs: specs[:2]}})
	h.ended = suite.EndedIn(ctx)
	h.end(nil)
	_ = unwatch()
}

// pidOf returns the id of the process of a component, which its log begins with.
func (h *halfway) pidOf(t *testing.T, logs, component string) (pid int) {
	t.Helper()
	g := NewWithT(t)
	read := func() error {
		log, err := os.ReadFile(filepath.Join(h.dir, logs, component+".log"))
		if err != nil {
			return err
		}
		if _, err := fmt.Sscanf(string(log), "%d is", &pid); err != nil {
			return fmt.Errorf("read the process of %s in its log %q: %w", component, log, err)
		}
		return nil
	}
	g.Eventually(read).WithTimeout(lots).Should(Succeed())
	return pid
}

// expectNothing expects that no process of the two control planes is left, and no file
// except for those in the folder of the run.
func (h *halfway) expectNothing(t *testing.T, temp string) {
	t.Helper()
	g := NewWithT(t)
	for _, logs := range []string{"control-plane", "control-plane-p2"} {
		for _, name := range components {
			g.Expect(syscall.Kill(h.pidOf(t, logs, name), 0)).To(MatchError(syscall.ESRCH), "%s of %s", name, logs)
		}
	}
	g.Expect(os.ReadDir(temp)).To(BeEmpty())
	g.Expect(filepath.Join(h.dir, endedFile)).NotTo(BeAnExistingFile())
}

// expect expects outcomes and the beginnings of their reasons.
func (h *halfway) expect(t *testing.T, want map[string]string) {
	t.Helper()
	for id, text := range want {
		NewWithT(t).Expect(string(h.results[id].Outcome)+": "+h.results[id].Reason).To(HavePrefix(text), id)
	}
	NewWithT(t).Expect(h.results).To(HaveLen(len(want)))
}

// verdict returns the verdict of the run.
func (h *halfway) verdict() report.Verdict {
	var all []suite.Result
	for _, s := range waitingSpecs() {
		all = append(all, h.results[s.ID])
	}
	return report.NewVerdict(all, nil, errors.Join(h.err, h.ended))
}

// The scheduler is at fault for what its own specs see, and for nothing else.
func TestRunWhoseSchedulerPanics(t *testing.T) {
	g := NewWithT(t)
	h := endHalfway(t, "control-plane", "kube-scheduler", syscall.SIGUSR1)
	g.Expect(h.err).NotTo(HaveOccurred(), "that workers were terminated is no error of its own")
	h.expect(t, map[string]string{
		"here":        "failed: while waiting for nothing: kube-scheduler has ended: exit status 2; from its log " + filepath.Join(h.dir, "control-plane", "kube-scheduler.log") + ":\npanic: no such node\n",
		"here-later":  "skipped: not run, because kube-scheduler has ended: exit status 2",
		"apart":       "skipped: not finished, because kube-scheduler has ended: exit status 2; from its log ",
		"apart-later": "skipped: not ", // Its process may begin it before it knows.
	})
	g.Expect(h.results["apart-later"].Reason).To(ContainSubstring("because kube-scheduler has ended: exit status 2"))
	g.Expect(h.verdict().String()).To(Equal("failed: 1 failed, 3 skipped; kube-scheduler has ended: exit status 2; not conformant: p"))
	g.Expect(h.out.String()).To(ContainSubstring("the run ends, because kube-scheduler has ended: exit status 2"))
	g.Expect(h.out.String()).NotTo(ContainSubstring("later"), "specs that were not run have no lines")
	for file, want := range map[string]string{"junit_02.xml": "not finished, because kube-scheduler has ended", "junit_03.xml": "while waiting for nothing: kube-scheduler has ended"} {
		content, err := os.ReadFile(filepath.Join(h.dir, file))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(content)).To(ContainSubstring(want), file)
	}
}

// The process of the second control plane reports it to that of the run, which ends the
// others.
func TestRunWhoseOtherSchedulerIsKilled(t *testing.T) {
	g := NewWithT(t)
	h := endHalfway(t, "control-plane-p2", "kube-scheduler", syscall.SIGKILL)
	g.Expect(h.err).NotTo(HaveOccurred())
	h.expect(t, map[string]string{
		"here":        "skipped: not finished, because kube-scheduler has ended: signal: killed; from its log ",
		"here-later":  "skipped: not ", // Its process may begin it before it knows.
		"apart":       "failed: while waiting for nothing: kube-scheduler has ended: signal: killed; from its log " + filepath.Join(h.dir, "control-plane-p2", "kube-scheduler.log"),
		"apart-later": "skipped: not run, because kube-scheduler has ended: signal: killed",
	})
	g.Expect(h.results["here-later"].Reason).To(ContainSubstring("because kube-scheduler has ended: signal: killed"))
	g.Expect(h.ended).To(And(HaveField("Tested", true), HaveField("Process", 2)))
	g.Expect(h.verdict().Result).To(Equal(report.Failed))
}

// The scheduler is not blamed for what specs see without an API server.
func TestRunWhoseAPIServerIsKilled(t *testing.T) {
	for _, name := range components[:3] {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			h := endHalfway(t, "control-plane", name, syscall.SIGKILL)
			g.Expect(h.err).NotTo(HaveOccurred())
			for _, s := range waitingSpecs() {
				g.Expect(h.results[s.ID]).To(And(HaveField("Outcome", suite.Skipped), HaveField("Reason", ContainSubstring(name+" has ended: signal: killed"))), s.ID)
			}
			g.Expect(h.verdict().String()).To(Equal("incomplete: 4 skipped; " + name + " has ended: signal: killed"))
		})
	}
}
