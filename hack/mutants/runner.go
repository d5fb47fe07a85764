// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/internal/parallel"
)

// verdict is the result of running specs with a fault.
type verdict string

const (
	// detected means that all specs that must fail did so with the expected
	// reason.
	detected verdict = "detected"
	// undetected means that a spec that must fail passed.
	undetected verdict = "UNDETECTED"
	// wrongReason means that a spec failed with another reason than expected.
	wrongReason verdict = "WRONG REASON"
	// noResult means that a spec had another outcome, for example because it
	// could not run.
	noResult verdict = "NO RESULT"
	// noSpec means that no spec for the fault exists yet.
	noSpec verdict = "no spec yet"
)

// outcome is the verdict of a fault and its reason.
type outcome struct {
	fault   fault
	verdict verdict
	// spec is the id of the spec that the reason comes from. It may be empty.
	spec, reason string
	// found is the number of specs that found the fault, in a run of the whole
	// suite.
	found int
	took  time.Duration
}

// trial runs the specs and journeys of faults.
type trial interface {
	// control verifies that the specs and journeys of all faults pass without a
	// fault. Otherwise their failures would prove nothing.
	control(ctx context.Context, faults []fault) error
	// runSpecs runs the specs or journeys that must detect a fault.
	runSpecs(ctx context.Context, f fault) (report.Report, error)
}

// runner runs specs with faults and returns their verdicts.
type runner struct {
	trial    trial
	progress *progress.Reporter
	// parallel is the number of faults for which together reports that they can be run at
	// the same time as others. Without together, none can.
	parallel int
	together func(f fault) bool
}

// errInterrupted is returned if not all faults were run.
var errInterrupted = errors.New("not all faults were run")

// runFaults first runs the specs without a fault, when all must pass. It then runs
// the specs that must fail with each fault. A fault that they do not detect while
// others are run is run again alone, because the others may be the cause. On an
// interruption it returns the outcomes so far in addition to the error.
func (r *runner) runFaults(ctx context.Context, faults []fault) ([]outcome, error) {
	if err := r.trial.control(ctx, faults); err != nil {
		return nil, err
	}
	outcomes := make([]*outcome, len(faults))
	var shared []int
	for i, f := range faults {
		if r.together != nil && r.together(f) {
			shared = append(shared, i)
		}
	}
	interrupted := func() bool { return ctx.Err() != nil }
	_ = parallel.InOrder(len(shared), r.parallel, interrupted, func(n int) error { // No call returns an error.
		outcomes[shared[n]] = r.runNumber(ctx, shared[n], faults)
		return nil
	})
	for i := range faults {
		if o := outcomes[i]; ctx.Err() == nil && (o == nil || o.verdict != detected && o.verdict != noSpec) {
			outcomes[i] = r.runNumber(ctx, i, faults)
		}
	}
	var done []outcome
	var left []fault
	for i, o := range outcomes {
		if o == nil {
			left = append(left, faults[i])
		} else {
			done = append(done, *o)
		}
	}
	if len(left) > 0 {
		return done, fmt.Errorf("%w: continue with MUTANT='%s'", errInterrupted, command.Exactly(names(left)))
	}
	return done, nil
}

// runNumber runs a fault and prints its outcome. It returns nil if it was interrupted.
func (r *runner) runNumber(ctx context.Context, i int, faults []fault) *outcome {
	f := faults[i]
	r.progress.Printf("fault %d of %d: %s: %s %s", i+1, len(faults), f.Name, f.Broken, f.Does)
	o := r.runFault(ctx, f)
	if ctx.Err() != nil {
		return nil
	}
	r.progress.Printf("   %s: %s %s %s (%s)", f.Name, o.verdict, o.spec, o.reason, progress.Round(o.took))
	return &o
}

// allPassed returns an error for each spec that did not pass without a fault.
func allPassed(got report.Report, ids []string) error {
	var errs []error
	for _, id := range ids {
		if s := specOf(got, id); s.Outcome != suite.Passed {
			errs = append(errs, fmt.Errorf("without a fault, %s is %q: %s", id, s.Outcome, s.Reason))
		}
	}
	return errors.Join(errs...)
}

// runFault runs the specs or journeys for one fault.
func (r *runner) runFault(ctx context.Context, f fault) outcome {
	if f.Awaits != "" {
		return outcome{fault: f, verdict: noSpec, reason: f.Awaits}
	}
	began := time.Now()
	got, err := r.trial.runSpecs(ctx, f)
	o := outcome{fault: f, verdict: noResult}
	if err != nil {
		o.reason = err.Error()
	} else {
		o = outcomeOf(f, got)
	}
	o.took = time.Since(began)
	return o
}

// outcomeOf returns the outcome of a fault. If a spec does not fail as expected,
// the outcome is that of the first such spec.
func outcomeOf(f fault, got report.Report) outcome {
	o := outcome{fault: f, verdict: detected}
	for _, id := range f.detectingSpecs() {
		s := specOf(got, id)
		this := outcome{fault: f, spec: id, reason: oneLine(s.Reason)}
		switch {
		case s.Outcome == suite.Passed:
			this.verdict = undetected
		case s.Outcome != suite.Failed:
			this.verdict, this.reason = noResult, fmt.Sprintf("its outcome is %q: %s", s.Outcome, this.reason)
		case !f.reason.MatchString(s.Reason):
			this.verdict = wrongReason
		default:
			this.verdict, this.reason = detected, oneLine(f.reason.FindString(s.Reason))
		}
		if this.verdict != detected {
			return this
		}
		if o.spec == "" {
			o = this
		}
	}
	return o
}

func specOf(r report.Report, id string) report.Spec {
	i := slices.IndexFunc(r.Specs, func(s report.Spec) bool { return s.ID == id })
	if i < 0 {
		return report.Spec{ID: id}
	}
	return r.Specs[i]
}

func names(faults []fault) []string {
	var all []string
	for _, f := range faults {
		all = append(all, f.Name)
	}
	return all
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
