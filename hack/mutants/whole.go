// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
)

// wholeTimeout bounds a run of the whole suite. With some faults, most specs fail
// only after a timeout of minutes.
const wholeTimeout = 3 * time.Hour

// pace estimates how long a run of the whole suite takes on two cores: without a
// failure, and in addition for each spec that must fail.
type pace struct{ run, failure time.Duration }

// paces has the pace of each provider.
var paces = map[string]pace{
	run.Kind:         {run: 8 * time.Minute, failure: 90 * time.Second},
	run.ControlPlane: {run: 3 * time.Minute, failure: 15 * time.Second},
}

// The verdicts on a fault that was on during a run of the whole suite.
const (
	// killed means that at least one of the specs that must fail did so with the
	// expected reason.
	killed verdict = "killed"
	// survived means that all of them passed.
	survived verdict = "SURVIVED"
	// misjudged means that none failed with the expected reason, and not all
	// passed.
	misjudged verdict = "MISJUDGED"
)

// wholeRun is the result of a run of the whole suite with a batch of faults.
type wholeRun struct {
	batch    batch
	outcomes []outcome // one for each fault
	// others are the failed specs that no fault of the batch names.
	others []string
	took   time.Duration
}

// whole runs the whole suite with each batch, as it normally runs, until each fault of
// the batch has been found: what follows would prove nothing more. The specs that must
// find it begin first, next to others, so that this is soon. It first runs it
// without a fault: then the specs that must fail have to pass. On an interruption
// it returns the results so far in addition to the error.
func (r *runner) whole(ctx context.Context, ours *own, all []batch) ([]wholeRun, error) {
	r.progress.Printf("without a fault: the whole suite")
	got, err := ours.runBatch(ctx, batch{name: without}, scope{})
	if err == nil {
		err = allPassed(got, specsOf(all))
	}
	if err != nil {
		return nil, fmt.Errorf("run the whole suite without a fault: %w", err)
	}
	var results []wholeRun
	for i, b := range all {
		r.progress.Printf("batch %d of %d: %v", i+1, len(all), names(b.faults))
		began := time.Now()
		got, err := ours.runBatch(ctx, b, scope{until: b.found, first: specsOf([]batch{b})})
		if ctx.Err() != nil {
			return results, fmt.Errorf("%w: continue with MUTANT='%s'", errInterrupted, command.Exactly(namesOf(all[i:])))
		}
		result := judgeWhole(b, got, err)
		result.took = time.Since(began)
		results = append(results, result)
		for _, o := range result.outcomes {
			r.progress.Printf("   %s: %s %s %s", o.fault.Name, o.verdict, o.spec, o.reason)
		}
		r.progress.Printf("   %d other specs failed (%s)", len(result.others), progress.Round(result.took))
	}
	return results, nil
}

// judgeWhole judges the faults of a batch by the report of a run, or by the error
// that it ended with.
func judgeWhole(b batch, got report.Report, err error) wholeRun {
	result := wholeRun{batch: b}
	for _, f := range b.faults {
		if err != nil {
			result.outcomes = append(result.outcomes, outcome{fault: f, verdict: misjudged, reason: oneLine(err.Error())})
			continue
		}
		result.outcomes = append(result.outcomes, wholeOutcome(f, got))
	}
	expected := specsOf([]batch{b})
	for _, s := range got.Specs {
		if s.Outcome == suite.Failed && !slices.Contains(expected, s.ID) {
			result.others = append(result.others, s.ID)
		}
	}
	return result
}

// found reports whether the finished specs of a run have found all faults of a batch.
func (b batch) found(finished []report.Spec) bool {
	return !slices.ContainsFunc(b.faults, func(f fault) bool { return wholeOutcome(f, report.Report{Specs: finished}).verdict != killed })
}

// wholeOutcome returns the verdict on a fault: that of the first spec that found
// it, or else of the first one that did not pass.
func wholeOutcome(f fault, got report.Report) outcome {
	o := outcome{fault: f, verdict: survived, spec: f.Specs[0]}
	for _, id := range f.Specs {
		s := specOf(got, id)
		if s.Outcome == suite.Failed && f.reason.MatchString(s.Reason) {
			if o.found++; o.found == 1 {
				o.verdict, o.spec, o.reason = killed, id, oneLine(f.reason.FindString(s.Reason))
			}
		} else if s.Outcome != suite.Passed && o.verdict == survived {
			o.verdict, o.spec, o.reason = misjudged, id, fmt.Sprintf("its outcome is %q: %s", s.Outcome, oneLine(s.Reason))
		}
	}
	return o
}

// specsOf returns the specs that must fail with the faults of batches.
func specsOf(all []batch) []string {
	var ids []string
	for _, b := range all {
		for _, f := range b.faults {
			ids = append(ids, f.Specs...)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func namesOf(all []batch) []string {
	var list []string
	for _, b := range all {
		list = append(list, names(b.faults)...)
	}
	return list
}
