// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/kindrun"
)

// target runs specs and journeys with faults. An empty fault name means no
// fault.
type target interface {
	// useScheduler replaces the scheduler of the cluster with that of the image
	// with a tag.
	useScheduler(ctx context.Context, tag string) error
	// usePolicies replaces the admission policies that are faults of the API
	// server.
	usePolicies(ctx context.Context, faults []string) error
	// run runs specs with the drivers of the image with a tag. name is the name of the
	// folder for the results.
	run(ctx context.Context, name, driverTag string, what scope) (report.Report, error)
	// runJourneys runs journeys, which create their own clusters, with a fault in a
	// component. An empty fault leaves the component correct.
	runJourneys(ctx context.Context, name, broken, fault string, journeys []string) (report.Report, error)
}

// scope is what a run judges.
type scope struct {
	// specs are the ids of the specs. Without any, all are run. first are those that begin
	// first, if any.
	specs, first []string
	// until ends the run early once it returns true for the specs that have finished.
	until func(finished []report.Spec) bool
}

// inRun returns the scope for a run.
func (s scope) inRun() kindrun.Scope {
	return kindrun.Scope{Focus: command.Exactly(s.specs), First: command.Exactly(s.first), Until: s.until}
}

// own runs specs with faults of the suite's own components.
type own struct {
	target   target
	progress *progress.Reporter
	using    *string // tag of the current scheduler, nil while the scheduler is unknown
	policies []string
}

// control implements trial.
func (o *own) control(ctx context.Context, faults []fault) error {
	if err := o.controlJourneys(ctx, faults); err != nil {
		return err
	}
	specs := specsOf([]batch{{faults: faults}})
	if len(specs) == 0 {
		return nil
	}
	o.progress.Printf("without a fault: %d specs must pass", len(specs))
	got, err := o.runBatch(ctx, batch{name: without}, scope{specs: specs})
	if err != nil {
		return fmt.Errorf("run the specs without a fault: %w", err)
	}
	return allPassed(got, specs)
}

// controlJourneys verifies that the journeys pass without a fault. It runs them
// one after the other, because each takes minutes.
func (o *own) controlJourneys(ctx context.Context, faults []fault) error {
	var ids []string
	for _, f := range faults {
		ids = append(ids, f.Journeys...)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		o.progress.Printf("without a fault: journey %s must pass", id)
		got, err := o.target.runJourneys(ctx, "without-"+id, "", "", []string{id})
		if err != nil {
			return fmt.Errorf("run journey %s without a fault: %w", id, err)
		}
		if err := allPassed(got, []string{id}); err != nil {
			return err
		}
	}
	return nil
}

// without is the name of a run without a fault.
const without = "without"

// use changes the scheduler if necessary.
func (o *own) use(ctx context.Context, tag string) error {
	if o.using != nil && *o.using == tag {
		return nil
	}
	o.using = nil
	if err := o.target.useScheduler(ctx, tag); err != nil {
		return err
	}
	o.using = &tag
	return nil
}

// enforce changes the admission policies if necessary.
func (o *own) enforce(ctx context.Context, faults []string) error {
	if slices.Equal(o.policies, faults) {
		return nil
	}
	if err := o.target.usePolicies(ctx, faults); err != nil {
		return err
	}
	o.policies = faults
	return nil
}

// runBatch runs specs with all faults of a batch.
func (o *own) runBatch(ctx context.Context, b batch, what scope) (report.Report, error) {
	if err := o.use(ctx, b.tag(scheduler)); err != nil {
		return report.Report{}, err
	}
	if err := o.enforce(ctx, b.of(apiServer)); err != nil {
		return report.Report{}, err
	}
	return o.target.run(ctx, b.name, b.tag(driver, kubelet), what)
}

// runSpecs implements trial.
func (o *own) runSpecs(ctx context.Context, f fault) (report.Report, error) {
	if len(f.Journeys) > 0 {
		return o.target.runJourneys(ctx, f.Name, f.Broken, f.Name, f.Journeys)
	}
	return o.runBatch(ctx, alone(f), scope{specs: f.Specs})
}
