// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

// touching returns a fault that touches things and that specs must find.
func touching(f fault, touches ...string) fault {
	f.Touches = touches
	return f
}

func TestBatchesKeepFaultsApart(t *testing.T) {
	g := NewWithT(t)
	withJourney := ofScheduler("journey")
	withJourney.Journeys = []string{"j1"}
	all := divide([]fault{
		touching(ofScheduler("a", "s1"), "driver/calls"), touching(ofScheduler("b", "s2"), "capacity"), touching(ofDriver("c", "s3"), "driver"),
		touching(ofDriver("same-spec", "s2"), "multi-host"), touching(ofDriver("alone", "s4"), "everything"), withJourney, {Name: "later", Awaits: "it is so"},
	})
	var got [][]string
	for _, b := range all {
		got = append(got, append([]string{b.name}, names(b.faults)...))
	}
	g.Expect(got).To(Equal([][]string{{"batch-1", "a", "b"}, {"batch-2", "c", "same-spec"}, {"batch-3", "alone"}}))
}

// Each fault with specs is in one batch, and touches something.
func TestBatchesOfAllFaults(t *testing.T) {
	g := NewWithT(t)
	all, err := load(data, ownComponents, specs.All(), journeys.All())
	g.Expect(err).NotTo(HaveOccurred())
	var want []string
	for _, f := range all.Faults {
		if len(f.Specs) > 0 {
			g.Expect(f.Touches).NotTo(BeEmpty(), f.Name)
			want = append(want, f.Name)
		}
	}
	g.Expect(namesOf(divide(all.Faults))).To(ConsistOf(want))
}

func TestWholeSuiteRunsOncePerBatch(t *testing.T) {
	g := NewWithT(t)
	target := &fake{
		all: []string{"s4", "s1", "s2", "s3", "s5"},
		with: map[string]map[string]report.Spec{
			"batch-1": {"s1": right, "s3": right, "s4": right, "s5": right},
			"batch-2": {"s2": {Outcome: suite.Failed, Reason: "another"}},
		},
	}
	policy := touching(ofDriver("c", "s2"), "everything")
	policy.Broken = apiServer
	ours := &own{target: target}
	results, err := (&runner{trial: ours}).whole(t.Context(), ours, divide([]fault{
		touching(ofScheduler("a", "s1", "s2"), "capacity"), touching(ofDriver("b", "s3"), "driver"), policy,
	}))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{
		"scheduler ", `run without driver "" []`,
		"scheduler batch-1", `run batch-1 driver "batch-1" []`,
		"scheduler ", "policies [c]", `run batch-2 driver "" []`,
	}))
	g.Expect(results).To(HaveLen(2))
	g.Expect(results[0].outcomes).To(HaveExactElements(
		outcome{fault: touching(ofScheduler("a", "s1", "s2"), "capacity"), verdict: killed, spec: "s1", reason: "seen: bad", found: 1},
		outcome{fault: touching(ofDriver("b", "s3"), "driver"), verdict: killed, spec: "s3", reason: "seen: bad", found: 1},
	))
	g.Expect(results[0].others).To(Equal([]string{"s4"}), "no fault of the batch names it; s5 follows when both are found")
	g.Expect(results[1].outcomes).To(HaveExactElements(outcome{fault: policy, verdict: misjudged, spec: "s2", reason: `its outcome is "failed": another`}))
	g.Expect(allKilled(results[:1])).To(BeTrue())
	g.Expect(allKilled(results)).To(BeFalse())
}

func TestVerdictsOfTheWholeSuite(t *testing.T) {
	passed, other := report.Spec{Outcome: suite.Passed}, report.Spec{Outcome: suite.Failed, Reason: "no node"}
	for name, test := range map[string]struct {
		first, second report.Spec
		err           error
		want          outcome
	}{
		"both find it":             {right, right, nil, outcome{verdict: killed, spec: "s1", reason: "seen: bad", found: 2}},
		"the second one finds it":  {passed, right, nil, outcome{verdict: killed, spec: "s2", reason: "seen: bad", found: 1}},
		"one finds something else": {other, right, nil, outcome{verdict: killed, spec: "s2", reason: "seen: bad", found: 1}},
		"none finds it":            {passed, passed, nil, outcome{verdict: survived, spec: "s1"}},
		"the reason is another":    {passed, other, nil, outcome{verdict: misjudged, spec: "s2", reason: `its outcome is "failed": no node`}},
		"they did not run":         {report.Spec{}, report.Spec{}, nil, outcome{verdict: misjudged, spec: "s1", reason: `its outcome is "": `}},
		"there is no report":       {passed, passed, errors.New("timed out"), outcome{verdict: misjudged, reason: "timed out"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := ofScheduler("a", "s1", "s2")
			test.first.ID, test.second.ID, test.want.fault = "s1", "s2", f
			got := judgeWhole(alone(f), report.Report{Specs: []report.Spec{test.first, test.second}}, test.err)
			NewWithT(t).Expect(got.outcomes).To(HaveExactElements(test.want))
		})
	}
}

func TestWholeSuiteMustPassWithoutAFault(t *testing.T) {
	g := NewWithT(t)
	target := &fake{all: []string{"s1"}, with: map[string]map[string]report.Spec{"without": {"s1": right}}}
	ours := &own{target: target}
	results, err := (&runner{trial: ours}).whole(t.Context(), ours, []batch{alone(ofScheduler("a", "s1"))})
	g.Expect(err).To(MatchError(ContainSubstring("without a fault, s1 is \"failed\"")))
	g.Expect(results).To(BeEmpty())
}

func TestInterruptedWholeSuiteNamesTheRemainingFaults(t *testing.T) {
	g := NewWithT(t)
	ctx, stop := context.WithCancel(t.Context())
	target := &fake{all: []string{"s1"}, stop: map[string]context.CancelFunc{"batch-2": stop}}
	ours := &own{target: target}
	batches := divide([]fault{touching(ofScheduler("a", "s1"), "everything"), touching(ofDriver("b", "s1"), "everything"), touching(ofDriver("c", "s1"), "everything")})
	results, err := (&runner{trial: ours}).whole(ctx, ours, batches)
	g.Expect(err).To(MatchError("not all faults were run: continue with MUTANT='^(b|c)$'"))
	g.Expect(results).To(HaveLen(1))
}

func TestWholeTable(t *testing.T) {
	g := NewWithT(t)
	got := wholeTable([]wholeRun{
		{
			batch: batch{name: "batch-1"}, took: 61 * time.Second, others: []string{"s8", "s9"},
			outcomes: []outcome{{fault: ofScheduler("a", "s1", "s2"), verdict: killed, spec: "s1", reason: "seen: bad", found: 1}},
		},
		{batch: batch{name: "batch-2"}, took: time.Second, outcomes: []outcome{{fault: ofDriver("b", "s3"), verdict: survived, spec: "s3"}}},
	})
	g.Expect(got).To(Equal(`BATCH    FAULT  OF         OUTCOME   FOUND BY     REASON
batch-1  a      scheduler  killed    s1 (1 of 2)  seen: bad
batch-2  b      driver     SURVIVED  s3 (0 of 1)  
batch-1: 1m1s, 2 other specs failed: s8, s9
batch-2: 1s, 0 other specs failed: 
2 faults in 2 batches: 1 killed, 1 survived, 0 misjudged
`))
}
