// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
)

func TestRunReturnsAllOutcomes(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "outcomes")
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(outcomes(got)).To(Equal([]string{
		"z-passes passed", "fails failed", "unsupported not-supported", "panics failed", "big not-applicable", "excluded skipped", "a-passes passed",
	}), "in the order of the configuration")
	g.Expect(got.Progress).To(Equal([]string{
		"1 of 4: z-passes starts", "1 of 4: z-passes passed", "2 of 4: fails starts", "2 of 4: fails failed",
		"3 of 4: panics starts", "3 of 4: panics failed", "4 of 4: a-passes starts", "4 of 4: a-passes passed",
	}), "one after the other, in the order of the configuration")
	g.Expect(got.Namespaces).To(BeEmpty(), "every spec's namespace is removed")

	g.Expect(got.Of("z-passes").Reason).To(BeEmpty())
	g.Expect(got.Of("z-passes").Duration).To(BeNumerically(">", 0))
	g.Expect(got.Of("unsupported").Reason).To(Equal("feature missing-feature is absent: "))
	g.Expect(got.Of("big").Reason).To(Equal("needs 2 worker nodes, the cluster has 1"))
	g.Expect(got.Of("excluded").Reason).To(Equal(`excluded by the selection --labels "!third"`))
	failure := got.Of("fails").Reason
	g.Expect(failure).To(HavePrefix("while comparing numbers: the numbers should be equal\n"), "the step and the expectation")
	g.Expect(failure).To(MatchRegexp(`<int>: 2\nto equal\n *<int>: 1`), "and the observation")
	g.Expect(got.Of("panics").Reason).To(Equal("while creating claim and pod one: Test Panicked: test panic"))
}

func TestRunRecordsSteps(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "outcomes")
	failed := got.Of("fails")
	g.Expect(failed.Steps).To(HaveLen(3))
	last := failed.Started
	for i, text := range []string{"creating claim and pod one", "waiting until pod one runs", "comparing numbers"} {
		g.Expect(failed.Steps[i].Text).To(Equal(text))
		g.Expect(failed.Steps[i].Started).To(BeTemporally(">=", last), "steps follow each other")
		last = failed.Steps[i].Started
	}
	g.Expect(last).To(BeTemporally("<=", failed.Started.Add(failed.Duration)))
	g.Expect(failed.Started).To(BeTemporally(">", got.Of("z-passes").Started), "specs run one after the other")
	g.Expect(failed.FailedAt).To(And(BeTemporally(">=", last), BeTemporally("<=", failed.Started.Add(failed.Duration))), "it failed after the last step")
	g.Expect(got.Of("panics").FailedAt).To(BeTemporally(">", failed.FailedAt))
	g.Expect(got.Of("z-passes").FailedAt).To(BeZero())
	g.Expect(got.Of("z-passes").Namespace).To(BeEmpty())
	for _, id := range []string{"unsupported", "big", "excluded"} {
		g.Expect(got.Of(id).Started).To(BeZero(), "%s did not run", id)
		g.Expect(got.Of(id).Steps).To(BeEmpty(), id)
	}
}

// Another process has the result of a spec that it runs, also in the JUnit reports.
func TestRunLeavesSpecsToOthers(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "left to others")
	g.Expect(got.Err).To(BeEmpty())
	var results []string
	for _, r := range got.Results {
		results = append(results, r.ID+" "+string(r.Outcome))
	}
	g.Expect(results).To(Equal([]string{"first passed", "unsupported not-supported", "last passed"}))
	g.Expect(got.Progress).To(HaveLen(4), "it neither starts nor finishes")
	var cases []string
	for _, c := range readJUnit(t, got.Dir).Suites[0].Cases {
		cases = append(cases, c.Name)
	}
	g.Expect(cases).To(Equal([]string{"draconform p first", "draconform p unsupported", "draconform p last"}))
}

// The kubelet kills the process of a pod that starts after the grace period, if the
// process misses the signal before.
func TestDeletionOfAPodThatStarts(t *testing.T) {
	got := suiterun.Run(t, "starting pod").Of("deletes")
	NewWithT(t).Expect(got.Outcome).To(Equal(suite.Passed), got.Reason)
}

func TestRunFailFast(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "fail-fast")
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Passed))
	g.Expect(got.Of("fails").Outcome).To(Equal(suite.Failed))
	g.Expect(got.Of("never").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Of("never").Reason).To(Equal("not run, because an earlier spec failed or the run was interrupted"))
	g.Expect(got.Progress).To(HaveLen(4), "the third spec does not start")
	g.Expect(got.Namespaces).To(BeEmpty())
}

// An interrupted run returns the results so far and deletes its namespaces.
// Specs that did not finish are not failures.
func TestRunInterrupted(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "interrupted")
	g.Expect(got.Err).To(Equal("context canceled"))
	g.Expect(got.Duration).To(BeNumerically("<", 10*time.Second), "long before the 30 s that the spec would wait")
	g.Expect(got.Of("before").Outcome).To(Equal(suite.Passed))
	g.Expect(got.Of("during").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Of("during").Reason).To(HavePrefix("not finished, because the run was interrupted: while waiting until pod one runs: "))
	g.Expect(got.Of("after").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Progress).To(Equal([]string{"1 of 3: before starts", "1 of 3: before passed", "2 of 3: during starts", "2 of 3: during skipped"}))
	g.Expect(got.Namespaces).To(BeEmpty(), "the cleanup is not interrupted")
}

// Ginkgo handles signals too, possibly before the caller's context ends.
func TestRunInterruptedBySignal(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "signalled")
	g.Expect(got.Err).To(Equal("the run was interrupted by a signal"), "without an error the run would count as passed")
	g.Expect(got.Duration).To(BeNumerically("<", 25*time.Second), "before the 30 s that the spec would wait")
	g.Expect(got.Of("during").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Of("after").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Namespaces).To(BeEmpty())
}

func TestRunSpecTimeout(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "timeout")
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(got.Duration).To(BeNumerically("<", 10*time.Second))
	slow := got.Of("slow")
	g.Expect(slow.Outcome).To(Equal(suite.Failed))
	g.Expect(slow.Reason).To(ContainSubstring("while waiting until pod one runs: A spec timeout occurred"))
	g.Expect(slow.Reason).To(ContainSubstring("the driver does not answer"), "the last observation")
	g.Expect(got.Namespaces).To(BeEmpty())
}

// The specs of these tests wait for what never happens. That must take no time, and
// must end in the same way on a busy machine.
func TestWaitsOfARunTakeNoTime(t *testing.T) {
	g := NewWithT(t)
	begun := time.Now()
	got := suiterun.Run(t, "waits")
	g.Expect(got.Of("waits").Outcome).To(Equal(suite.Passed), got.Of("waits").Reason)
	g.Expect(got.Duration).To(BeNumerically(">=", 40*time.Second))
	g.Expect(time.Since(begun)).To(BeNumerically("<", 40*time.Second))
}

func TestRunWithoutLabels(t *testing.T) {
	got := suiterun.Run(t, "without labels")
	NewWithT(t).Expect(got.Of("passes").Outcome).To(Equal(suite.Passed), got.Of("passes").Reason)
}
