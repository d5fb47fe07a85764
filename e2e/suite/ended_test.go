// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// endedScheduler and endedAPIServer are ends of components that are noticed now.
func endedScheduler() *suite.Ended {
	return &suite.Ended{Component: "kube-scheduler", Result: "exit status 2", Text: "kube-scheduler has ended: exit status 2; from its log:\npanic: no node", Tested: true, Process: 1, At: time.Now()}
}

func endedAPIServer() *suite.Ended {
	return &suite.Ended{Component: "kube-apiserver", Result: "signal: killed", Text: "kube-apiserver has ended: signal: killed; from its log:\nnothing", Process: 1, At: time.Now()}
}

// endsDuring returns a run of three specs, the second of which has a body that gets a
// function that ends the run.
func endsDuring(body func(ctx context.Context, e *env.Env, end context.CancelCauseFunc)) func(context.Context, *suite.Options) context.Context {
	return func(ctx context.Context, c *suite.Options) context.Context {
		ctx, end := context.WithCancelCause(ctx)
		c.Watched, c.Temporary = true, true
		c.Specs = []suite.Spec{
			spec("before", "p", func(context.Context, *env.Env) {}),
			spec("during", "p", func(ctx context.Context, e *env.Env) { body(ctx, e, end) }),
			spec("after", "p", passes),
		}
		return ctx
	}
}

// waitsFor waits for a pod, and meanwhile the run ends.
func waitsFor(ended func() *suite.Ended) func(context.Context, *env.Env, context.CancelCauseFunc) {
	return func(ctx context.Context, e *env.Env, end context.CancelCauseFunc) {
		start(ctx, e)
		time.AfterFunc(300*time.Millisecond, func() { end(ended()) })
		pods.WaitForRunning(ctx, e, "one")
	}
}

// losesItsAPIServer returns a run whose API server cannot be reached, which the run learns
// a second later.
func losesItsAPIServer() suiterun.Case {
	var away atomic.Bool
	loses := endsDuring(func(ctx context.Context, e *env.Env, end context.CancelCauseFunc) {
		start(ctx, e)
		away.Store(true)
		time.AfterFunc(time.Second, func() { end(endedAPIServer()) })
		pods.WaitForRunning(ctx, e, "one")
	})
	return suiterun.Case{Cluster: fakecluster.Options{Unreachable: away.Load}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		finished := c.Finished
		c.Finished = func(r suite.Result, n, total int) {
			finished(r, n, total)
			away.Store(false) // The test looks at what is left.
		}
		return loses(ctx, c)
	}}
}

func init() {
	neverStarts := fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverStarts: true})}
	elsewhere := func() *suite.Ended {
		ended := endedScheduler()
		ended.Elsewhere = true
		return ended
	}
	maps.Copy(cases, map[string]suiterun.Case{
		"scheduler ends":                   {Cluster: neverStarts, Change: endsDuring(waitsFor(endedScheduler))},
		"scheduler of other specs ends":    {Cluster: neverStarts, Change: endsDuring(waitsFor(elsewhere))},
		"API server ends":                  losesItsAPIServer(),
		"scheduler ends with a signal":     {RealTime: true, Cluster: neverStarts, Change: endsDuring(endsWithSignal)},
		"scheduler ends during cleanup":    {Change: endsDuring(endsInCleanup)},
		"scheduler ends after a failure":   {Change: endsDuring(endsAfterFailure)},
		"scheduler ends in new spec":       {Cluster: neverStarts, Change: provisionalOnly},
		"control plane that is kept, ends": {Cluster: neverStarts, Change: kept},
	})
}

// endsWithSignal is how a process of the run learns it: Ginkgo has the signal first.
func endsWithSignal(ctx context.Context, e *env.Env, end context.CancelCauseFunc) {
	start(ctx, e)
	time.AfterFunc(500*time.Millisecond, func() { end(endedScheduler()) })
	Expect(syscall.Kill(os.Getpid(), syscall.SIGINT)).To(Succeed())
	pods.WaitForRunning(ctx, e, "one")
}

func endsInCleanup(ctx context.Context, e *env.Env, end context.CancelCauseFunc) {
	ginkgo.By("creating a pod")
	start(ctx, e)
	pods.WaitForRunning(ctx, e, "one")
	e.Cleanups = append(e.Cleanups, func(context.Context) error {
		end(endedScheduler())
		return nil
	})
}

func endsAfterFailure(ctx context.Context, e *env.Env, end context.CancelCauseFunc) {
	e.Cleanups = append(e.Cleanups, func(context.Context) error {
		<-time.After(time.Second)
		end(endedScheduler())
		return nil
	})
	fails(ctx, e)
}

func provisionalOnly(ctx context.Context, c *suite.Options) context.Context {
	ctx = endsDuring(waitsFor(endedScheduler))(ctx, c)
	c.Specs[1].Level = suite.Provisional
	return ctx
}

func kept(ctx context.Context, c *suite.Options) context.Context {
	ctx = endsDuring(waitsFor(endedScheduler))(ctx, c)
	c.Temporary = false
	return ctx
}

// The run ends at once. The spec that ran has failed because of the scheduler, and no
// later spec is blamed.
func TestRunWhoseSchedulerEnds(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "scheduler ends")
	g.Expect(outcomes(got)).To(Equal([]string{"before passed", "during failed", "after skipped"}), "%v", got.Results)
	during := got.Of("during")
	g.Expect(during.Reason).To(Equal("while waiting until pod one runs: " + endedScheduler().Text))
	g.Expect(during.FailedAt).To(And(BeTemporally(">", during.Started), BeTemporally("<=", during.Started.Add(during.Duration))))
	g.Expect(during.Namespace).To(Equal("draconform-test-2"))
	g.Expect(filepath.Join(got.Dir, "artifacts", "during", "pods.yaml")).To(BeARegularFile(), "they may be why")
	g.Expect(got.Of("after").Reason).To(Equal("not run, because kube-scheduler has ended: exit status 2"))
	g.Expect(got.Of("after").Started).To(BeZero())
	g.Expect(got.Err).To(Equal(endedScheduler().Text))
	g.Expect(got.Duration).To(BeNumerically("<", 5*time.Second), "long before the 30 s that the spec would wait")
	g.Expect(got.Progress).To(Equal([]string{"1 of 3: before starts", "1 of 3: before passed", "2 of 3: during starts", "2 of 3: during failed"}))

	s := readJUnit(t, got.Dir).Suites[0]
	g.Expect([]int{s.Tests, s.Failures, s.Errors, s.Skipped}).To(Equal([]int{3, 1, 0, 1}))
	g.Expect(s.Cases[1].Failure.Message).To(Equal(during.Reason))
	g.Expect(s.Cases[2].Skipped.Message).To(ContainSubstring(got.Of("after").Reason))
	g.Expect(s.Properties).To(ContainElement(And(HaveField("Name", "SuiteSucceeded"), HaveField("Value", "false"))))
}

// What specs see without an API server says nothing about a scheduler.
func TestRunWhoseAPIServerEnds(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "API server ends")
	g.Expect(outcomes(got)).To(Equal([]string{"before passed", "during skipped", "after skipped"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(Equal("not finished, because " + endedAPIServer().Text))
	g.Expect(got.Of("during").FailedAt).To(BeZero())
	g.Expect(got.Of("after").Reason).To(Equal("not run, because kube-apiserver has ended: signal: killed"))
	g.Expect(got.Err).To(Equal(endedAPIServer().Text))
	g.Expect(got.Duration).To(BeNumerically("<", 5*time.Second))
	g.Expect(filepath.Join(got.Dir, "artifacts", "during")).NotTo(BeADirectory(), "there is nothing to see")

	s := readJUnit(t, got.Dir).Suites[0]
	g.Expect([]int{s.Tests, s.Failures, s.Errors, s.Skipped}).To(Equal([]int{3, 0, 1, 1}))
	g.Expect(s.Properties).To(ContainElement(And(HaveField("Name", "SuiteSucceeded"), HaveField("Value", "false"))))
}

// A process of the run that is told of the end by a signal has the same outcomes.
func TestRunWhoseSchedulerEndsAndThatIsToldBySignal(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "scheduler ends with a signal")
	g.Expect(outcomes(got)).To(Equal([]string{"before passed", "during failed", "after skipped"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(HaveSuffix(": " + endedScheduler().Text))
	g.Expect(got.Of("after").Reason).To(Equal("not run, because kube-scheduler has ended: exit status 2"))
	g.Expect(readJUnit(t, got.Dir).Suites[0].Failures).To(Equal(1))
}

// Specs next to the control plane whose scheduler has ended are not its victims.
func TestRunWhoseSpecsUseAnotherScheduler(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "scheduler of other specs ends")
	g.Expect(outcomes(got)).To(Equal([]string{"before passed", "during skipped", "after skipped"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(Equal("not finished, because " + endedScheduler().Text))
	g.Expect(got.Err).To(Equal(endedScheduler().Text))
}

// A scheduler may end because of what is removed.
func TestRunWhoseSchedulerEndsDuringCleanup(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "scheduler ends during cleanup")
	g.Expect(outcomes(got)).To(Equal([]string{"before passed", "during failed", "after skipped"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(Equal("while waiting until pod one runs: " + endedScheduler().Text))
	g.Expect(readJUnit(t, got.Dir).Suites[0].Cases[1].Failure.Message).To(Equal(got.Of("during").Reason))
}

// A failure that came before has its own reason.
func TestRunWhoseSchedulerEndsAfterAFailure(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "scheduler ends after a failure")
	g.Expect(outcomes(got)).To(Equal([]string{"before passed", "during failed", "after skipped"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(HavePrefix("while comparing numbers: the numbers should be equal\n"))
	g.Expect(got.Of("during").Reason).NotTo(ContainSubstring("has ended"))
}

// CI systems do not fail a job because of a provisional spec, but they see why it failed.
func TestRunWhoseSchedulerEndsInProvisionalSpec(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "scheduler ends in new spec")
	g.Expect(got.Of("during").Outcome).To(Equal(suite.Failed))
	s := readJUnit(t, got.Dir).Suites[0]
	g.Expect([]int{s.Tests, s.Failures, s.Errors, s.Skipped}).To(Equal([]int{3, 0, 0, 2}))
	g.Expect(s.Cases[1].Skipped.Message).To(ContainSubstring("provisional, without effect on the verdict: failed: while waiting until pod one runs: kube-scheduler has ended"))
	g.Expect(s.Properties).To(ContainElement(And(HaveField("Name", "SuiteSucceeded"), HaveField("Value", "false"))))
}

// Without a controller-manager or an API server, namespaces would stay forever.
func TestRunThatKeepsItsControlPlaneDoesNotWaitForNamespaces(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "control plane that is kept, ends")
	g.Expect(got.Err).To(Equal(endedScheduler().Text))
	g.Expect(got.Duration).To(BeNumerically("<", 5*time.Second))
}
