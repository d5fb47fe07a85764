// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// fake is a target in which specs have configured outcomes. Without a fault they
// pass.
type fake struct {
	// with maps faults to the results of specs. Specs that are not listed pass.
	with map[string]map[string]report.Spec
	// scheduled and ran map faults to errors.
	scheduled, ran map[string]error
	// stop maps faults to functions that are called when the fault is run.
	stop map[string]context.CancelFunc

	// all are the specs of the suite.
	all []string

	calls []string
}

func (f *fake) usePolicies(_ context.Context, faults []string) error {
	f.calls = append(f.calls, fmt.Sprintf("policies %v", faults))
	return nil
}

func (f *fake) useScheduler(_ context.Context, fault string) error {
	f.calls = append(f.calls, "scheduler "+fault)
	return f.scheduled[fault]
}

func (f *fake) run(_ context.Context, name, driverFault string, what scope) (report.Report, error) {
	specs := what.specs
	f.calls = append(f.calls, fmt.Sprintf("run %s driver %q %v", name, driverFault, specs))
	if stop := f.stop[name]; stop != nil {
		stop()
	}
	if len(specs) == 0 {
		specs = f.all
	}
	var r report.Report
	for _, id := range specs {
		s, ok := f.with[name][id]
		if !ok {
			s.Outcome = suite.Passed
		}
		s.ID = id
		r.Specs = append(r.Specs, s)
		if what.until != nil && what.until(r.Specs) {
			break
		}
	}
	return r, f.ran[name]
}

func (f *fake) runJourneys(ctx context.Context, name, broken, fault string, journeys []string) (report.Report, error) {
	got, err := f.run(ctx, name, fault, scope{specs: journeys})
	f.calls[len(f.calls)-1] = fmt.Sprintf("journeys %s %s %q %v", name, broken, fault, journeys)
	return got, err
}

func ofScheduler(name string, specs ...string) fault {
	return fault{Name: name, Broken: scheduler, Does: "does", Specs: specs, Reason: "seen: bad", reason: regexp.MustCompile(`seen:\s+bad`)}
}

func ofDriver(name string, specs ...string) fault {
	f := ofScheduler(name, specs...)
	f.Broken = driver
	return f
}

var right = report.Spec{Outcome: suite.Failed, Reason: "while it runs: expected good, seen:\n\tbad"}

func TestTryRunsFaultsInOrder(t *testing.T) {
	g := NewWithT(t)
	target := &fake{with: map[string]map[string]report.Spec{"a": {"s1": right, "s2": right}, "b": {"s3": right}, "c": {"s3": right}}}
	awaits := fault{Name: "later", Broken: scheduler, Does: "does", Awaits: "it is so"}
	r := runner{trial: &own{target: target}}
	outcomes, err := r.runFaults(t.Context(), []fault{ofScheduler("a", "s2", "s1"), awaits, ofDriver("b", "s3"), ofDriver("c", "s3")})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{
		"scheduler ", `run without driver "" [s1 s2 s3]`,
		"scheduler a", `run a driver "" [s2 s1]`,
		"scheduler ", `run b driver "b" [s3]`,
		`run c driver "c" [s3]`,
	}))
	for i := range outcomes {
		outcomes[i].took = 0
	}
	g.Expect(outcomes).To(HaveExactElements(
		outcome{fault: ofScheduler("a", "s2", "s1"), verdict: detected, spec: "s2", reason: "seen: bad"},
		outcome{fault: awaits, verdict: noSpec, reason: "it is so"},
		outcome{fault: ofDriver("b", "s3"), verdict: detected, spec: "s3", reason: "seen: bad"},
		outcome{fault: ofDriver("c", "s3"), verdict: detected, spec: "s3", reason: "seen: bad"},
	))
}

func TestTryRunsJourneysInSeparateClusters(t *testing.T) {
	g := NewWithT(t)
	target := &fake{with: map[string]map[string]report.Spec{"a": {"j1": right}, "b": {"s1": right}}}
	withJourney := ofScheduler("a")
	withJourney.Journeys = []string{"j1"}
	r := runner{trial: &own{target: target}}
	outcomes, err := r.runFaults(t.Context(), []fault{withJourney, ofScheduler("b", "s1")})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{
		`journeys without-j1  "" [j1]`, "scheduler ", `run without driver "" [s1]`,
		`journeys a scheduler "a" [j1]`, "scheduler b", `run b driver "" [s1]`,
	}))
	g.Expect(failed(outcomes)).To(BeFalse())

	target = &fake{with: map[string]map[string]report.Spec{"without-j1": {"j1": right}}}
	_, err = (&runner{trial: &own{target: target}}).runFaults(t.Context(), []fault{withJourney})
	g.Expect(err).To(MatchError(ContainSubstring("without a fault, j1 is \"failed\"")))
}

func TestEverySpecMustFailWithTheReason(t *testing.T) {
	for name, test := range map[string]struct {
		second report.Spec
		want   outcome
	}{
		"it passes":                {report.Spec{Outcome: suite.Passed}, outcome{verdict: undetected}},
		"it fails with another":    {report.Spec{Outcome: suite.Failed, Reason: "no\nnode"}, outcome{verdict: wrongReason, reason: "no node"}},
		"it was not applicable":    {report.Spec{Outcome: suite.NotApplicable, Reason: "needs nodes"}, outcome{verdict: noResult, reason: `its outcome is "not-applicable": needs nodes`}},
		"it has no outcome at all": {report.Spec{}, outcome{verdict: noResult, reason: `its outcome is "": `}},
	} {
		t.Run(name, func(t *testing.T) {
			f := ofScheduler("a", "s1", "s2")
			test.second.ID = "s2"
			first := right
			first.ID = "s1"
			test.want.fault, test.want.spec = f, "s2"
			NewWithT(t).Expect(outcomeOf(f, report.Report{Specs: []report.Spec{first, test.second}})).To(Equal(test.want))
		})
	}
}

func TestTryFailsIfSpecsFailWithoutAFault(t *testing.T) {
	for name, test := range map[string]struct {
		target fake
		want   string
	}{
		"a spec fails":          {fake{with: map[string]map[string]report.Spec{"without": {"s1": right}}}, `without a fault, s1 is "failed": while it runs: expected good, seen:` + "\n\tbad"},
		"a spec does not run":   {fake{with: map[string]map[string]report.Spec{"without": {"s1": {Outcome: suite.NotSupported, Reason: "too old"}}}}, `without a fault, s1 is "not-supported": too old`},
		"there is no report":    {fake{ran: map[string]error{"without": errors.New("no report")}}, "run the specs without a fault: no report"},
		"there is no scheduler": {fake{scheduled: map[string]error{"": errors.New("it does not lead")}}, "run the specs without a fault: it does not lead"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := runner{trial: &own{target: &test.target}}
			outcomes, err := r.runFaults(t.Context(), []fault{ofScheduler("a", "s1")})
			g.Expect(err).To(MatchError(test.want))
			g.Expect(outcomes).To(BeEmpty())
			g.Expect(test.target.calls).NotTo(ContainElement("scheduler a"))
		})
	}
}

// An error with one fault does not affect the next.
func TestTryContinuesAfterAnError(t *testing.T) {
	g := NewWithT(t)
	target := &fake{
		with:      map[string]map[string]report.Spec{"c": {"s1": right}},
		scheduled: map[string]error{"a": errors.New("it does not lead")},
		ran:       map[string]error{"b": errors.New("no report")},
	}
	r := runner{trial: &own{target: target}}
	outcomes, err := r.runFaults(t.Context(), []fault{ofScheduler("a", "s1"), ofScheduler("b", "s1"), ofScheduler("c", "s1")})
	g.Expect(err).NotTo(HaveOccurred())
	var got []string
	for _, o := range outcomes {
		got = append(got, fmt.Sprintf("%s: %s: %s", o.fault.Name, o.verdict, o.reason))
	}
	g.Expect(got).To(Equal([]string{"a: NO RESULT: it does not lead", "b: NO RESULT: no report", "c: detected: seen: bad"}))
	g.Expect(failed(outcomes)).To(BeTrue())
	g.Expect(failed(outcomes[2:])).To(BeFalse())
}

func TestInterruptedRunNamesTheRemainingFaults(t *testing.T) {
	g := NewWithT(t)
	ctx, stop := context.WithCancel(t.Context())
	target := &fake{with: map[string]map[string]report.Spec{"a": {"s1": right}}, stop: map[string]context.CancelFunc{"b": stop}}
	r := runner{trial: &own{target: target}}
	outcomes, err := r.runFaults(ctx, []fault{ofScheduler("a", "s1"), ofScheduler("b", "s1"), ofDriver("c", "s1")})
	g.Expect(err).To(MatchError("not all faults were run: continue with MUTANT='^(b|c)$'"))
	g.Expect(outcomes).To(HaveLen(1), "the interrupted fault has no outcome")
}

func TestTable(t *testing.T) {
	g := NewWithT(t)
	long := fmt.Sprintf("%0200d", 0)
	got := table([]outcome{
		{fault: ofScheduler("a", "s1", "s2"), verdict: detected, spec: "s1", reason: "seen: bad", took: 61 * time.Second},
		{fault: ofDriver("b", "s1"), verdict: undetected, spec: "s1", took: 1500 * time.Millisecond},
		{fault: ofDriver("c", "s1"), verdict: noResult, reason: long},
		{fault: fault{Name: "d", Broken: driver}, verdict: noSpec, reason: "it is so"},
	})
	g.Expect(got).To(Equal(`FAULT  OF         OUTCOME      BY SPEC      TIME  REASON
a      scheduler  detected     s1 (2 of 2)  1m1s  seen: bad
b      driver     UNDETECTED   s1           1.5s  
c      driver     NO RESULT    -            -     ` + long[:139] + `…
d      driver     no spec yet  -            -     it is so
4 faults: 1 detected, 1 undetected, 0 with a wrong reason, 1 without a result, 1 without a spec
`))
}

// Every verdict except detected and noSpec counts as failed.
func TestFailed(t *testing.T) {
	g := NewWithT(t)
	for _, v := range []verdict{detected, undetected, wrongReason, noResult, noSpec} {
		g.Expect(failed([]outcome{{verdict: detected}, {verdict: v}})).To(Equal(!slices.Contains([]verdict{detected, noSpec}, v)), string(v))
	}
}
