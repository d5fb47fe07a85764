// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// target runs specs, or all without any, in a cluster with the variants of a
// batch. name is the folder of the results.
type target interface {
	run(ctx context.Context, name string, b batch, specs []string) (report.Report, error)
}

// result is what the whole suite found with a batch.
type result struct {
	batch batch
	took  time.Duration
	// blamed are the specs that did not pass, and did without a variant.
	blamed []blamed
	// err is the error of a run without a report.
	err error
}

// blamed is a spec that did not pass with a batch.
type blamed struct {
	spec report.Spec
	// by are the variants with which the spec did not pass alone. There are none if
	// it is only the combination, or if the spec passed when it was repeated.
	by []string
	// passedAgain is set if the spec passed when it was repeated with the whole batch.
	passedAgain bool
}

// runner runs the whole suite with each batch.
type runner struct {
	target   target
	progress *progress.Reporter
	// without is the report of an earlier run without a variant. It is nil if the whole
	// suite must run without one first.
	without *report.Report
}

// run runs the whole suite without a variant, when it must be conformant, unless it has
// the report of an earlier run, and then with each batch. The specs that do not pass then
// are repeated with the batch, and, if they do not pass again, with each of its variants
// alone. On an interruption it returns the results so far in addition to the error.
func (r *runner) run(ctx context.Context, all []batch) ([]result, error) {
	ours, err := r.runWithout(ctx)
	if err != nil {
		return nil, err
	}
	var results []result
	for i, b := range all {
		r.progress.Printf("batch %d of %d: %v", i+1, len(all), b.of(components...))
		one := r.runBatch(ctx, b, ours)
		if ctx.Err() != nil {
			return results, fmt.Errorf("not all batches were run: %w", context.Cause(ctx))
		}
		results = append(results, one)
		r.progress.Printf("   %s (%s)", one.verdict(), progress.Round(one.took))
	}
	return results, nil
}

// runWithout returns the report without a variant, whose verdict must be passed.
func (r *runner) runWithout(ctx context.Context) (ours report.Report, err error) {
	if r.without != nil {
		ours = *r.without
	} else {
		r.progress.Printf("without a variant: the whole suite must be conformant")
		if ours, err = r.target.run(ctx, "without", batch{}, nil); err != nil {
			return ours, fmt.Errorf("run the whole suite without a variant: %w", err)
		}
	}
	if v := ours.Verdict; v.Result != report.Passed {
		return ours, fmt.Errorf("without a variant, the verdict is %q: %s", v.Result, v.Problem)
	}
	return ours, nil
}

// runBatch runs the whole suite with a batch and compares the report with that of
// a run without a variant.
func (r *runner) runBatch(ctx context.Context, b batch, ours report.Report) result {
	began := time.Now()
	got, err := r.target.run(ctx, b.name, b, nil)
	one := result{batch: b, err: err}
	if err == nil {
		one.blamed, one.err = r.blame(ctx, b, notPassed(ours, got))
	}
	one.took = time.Since(began)
	return one
}

// notPassed returns the specs that passed in one report and not in another one. A
// spec that is not in the other one has no outcome.
func notPassed(ours, theirs report.Report) []report.Spec {
	outcomes := map[string]report.Spec{}
	for _, s := range theirs.Specs {
		outcomes[s.ID] = s
	}
	var list []report.Spec
	for _, s := range ours.Specs {
		if other := outcomes[s.ID]; s.Outcome == suite.Passed && other.Outcome != suite.Passed {
			other.ID = s.ID
			list = append(list, other)
		}
	}
	return list
}

// blame finds out which variants of a batch make specs not pass.
func (r *runner) blame(ctx context.Context, b batch, specs []report.Spec) ([]blamed, error) {
	if len(specs) == 0 {
		return nil, nil
	}
	list := make([]blamed, len(specs))
	for i, s := range specs {
		list[i].spec = s
	}
	ids := idsOf(list)
	r.progress.Printf("   %d specs did not pass: again", len(ids))
	passed, err := r.repeat(ctx, b.name+"-again", b, ids)
	if err != nil {
		return list, fmt.Errorf("repeat specs: %w", err)
	}
	for i := range list {
		list[i].passedAgain = passed[list[i].spec.ID]
	}
	ids = idsOf(list)
	if len(ids) == 0 {
		return list, nil
	}
	for _, v := range b.variants {
		r.progress.Printf("   %d specs did not pass again: with %s alone", len(ids), v.Name)
		passed, err := r.repeat(ctx, b.name+"-"+v.Name, alone(v), ids)
		if err != nil {
			return list, fmt.Errorf("repeat specs with variant %s: %w", v.Name, err)
		}
		for i, f := range list {
			if !f.passedAgain && !passed[f.spec.ID] {
				list[i].by = append(list[i].by, v.Name)
			}
		}
	}
	return list, nil
}

// idsOf returns the ids of the specs that have not passed yet.
func idsOf(list []blamed) []string {
	var ids []string
	for _, f := range list {
		if !f.passedAgain {
			ids = append(ids, f.spec.ID)
		}
	}
	return ids
}

// repeat runs specs with a batch, and returns those that pass.
func (r *runner) repeat(ctx context.Context, name string, b batch, specs []string) (map[string]bool, error) {
	got, err := r.target.run(ctx, name, b, specs)
	passed := map[string]bool{}
	for _, s := range got.Specs {
		passed[s.ID] = s.Outcome == suite.Passed
	}
	return passed, err
}

// verdict returns whether the variants of the batch are judged as right.
func (r result) verdict() string {
	switch {
	case r.err != nil:
		return "NO RESULT"
	case len(r.blamed) > 0:
		return "BLAMED"
	default:
		return "conformant"
	}
}
