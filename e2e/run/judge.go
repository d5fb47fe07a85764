package run

import (
	"context"
	"errors"
	"time"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// judge installs the drivers that specs need and runs the specs: first
// independent specs in parallel, then the others.
func (r *runner) judge(ctx context.Context, target cluster) (results []suite.Result, err error) {
	drivers := r.fakes(target.owned())
	there := r.situation(drivers, target.nodes())
	if err := r.underway(ctx, target, &there); err != nil {
		return nil, err
	}
	chosen, err := r.Selection.Select(r.specs)
	if err != nil {
		return nil, err
	}
	fit := suite.Runnable(chosen, there)
	r.total = len(fit)
	c := r.suiteConfig(there)
	c.Look = func(ctx context.Context) (env.Target, error) { return r.look(ctx, target, there) }
	defer func() { err = errors.Join(err, drivers.uninstall(ctx)) }()
	err = drivers.install(ctx, fit)
	r.report.Subject = drivers.judged()
	if err != nil {
		return nil, err
	}
	var partsErr error
	c.Elsewhere, partsErr = r.beside(ctx, target, fit)
	if alone := len(fit) - len(c.Elsewhere); alone > 0 {
		r.stage = r.Progress.TaskOf("spec alone", "%s, one at a time", specCount(alone))
		r.aside = len(c.Elsewhere)
		defer r.stage.Done("")
	}
	results, err = suite.Run(ctx, c)
	return results, errors.Join(partsErr, err)
}

// situation returns what specs find in the cluster.
func (r *runner) situation(drivers *fakes, nodes operations.Nodes) env.Target {
	there := env.Target{
		Found: r.report.Features, Workers: r.report.Cluster.Workers,
		Release: r.report.Cluster.Release(), Scheduler: r.scheduler(r.report.Cluster), Kubelet: r.report.Cluster.Oldest("kubelet"),
		Subject: drivers.subject(), Nodes: nodes, Drivers: drivers, Versions: drivers, SimulatedNodes: drivers.owned || r.SimulateNodes, WrongPool: r.wrongPool,
	}
	// Only the cluster's own scheduler can be controlled.
	if own, ok := nodes.(operations.ControlPlane); ok && r.SchedulerName == "" {
		there.ControlPlane = own
	}
	return there
}

// suiteConfig returns the configuration of the suite.
func (r *runner) suiteConfig(there env.Target) suite.Options {
	return suite.Options{
		Specs: r.specs, Selection: r.Selection,
		Client: r.client, Target: there,
		Workload: r.WorkloadImage, Scheduler: r.SchedulerName, Labels: r.labels(), Namespace: "draconform-" + r.suffix,
		Timeouts: r.timeouts(), SpecTimeout: r.stretched(specTimeout),
		FailFast: r.FailFast, Dir: r.dir,
		Started: r.specStarted, Finished: func(result suite.Result, _, _ int) {
			r.specFinished(result)
			r.stage.Update("%s finished", specCount(r.finished-r.aside))
		},
	}
}

func (r *runner) specStarted(s suite.Spec, _, _ int) {
	r.Progress.Printf("   spec %d of %d: %s", r.finished+1, r.total, s.ID)
}

func (r *runner) specFinished(result suite.Result) {
	r.finished++
	mark := "✓"
	if result.Outcome != suite.Passed {
		mark = "✗"
	}
	r.Progress.Printf(" %s spec %d of %d: %s: %s (%s)", mark, r.finished, r.total, result.Spec.ID, result.Outcome, result.Duration.Round(100*time.Millisecond))
	if result.Reason != "" {
		r.Progress.Printf("%s", indent(result.Reason))
	}
}
