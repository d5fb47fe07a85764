// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// planSpecs determines which specs can run in the cluster.
func (r *runner) planSpecs(ctx context.Context, cl cluster, drivers drivers) (*suite.Suite, error) {
	target, err := r.target(ctx, drivers, accessTo(cl))
	if err != nil {
		return nil, err
	}
	if err := r.prepareJourneys(ctx, cl, &target); err != nil {
		return nil, err
	}
	o := r.suiteOptions(target)
	o.DetectTarget = func(ctx context.Context) (env.Target, error) { return r.reinspect(ctx, cl, target) }
	planned, err := suite.New(o)
	if err != nil {
		return nil, err
	}
	r.total = len(planned.Runnable())
	r.live.Planned(r.total)
	return planned, nil
}

// runSpecs installs the drivers that specs need and runs the specs: first those that
// can run in parallel, then the others.
func (r *runner) runSpecs(ctx context.Context, cl cluster, drivers drivers, planned *suite.Suite) (results []suite.Result, err error) {
	runnable := planned.Runnable()
	ctx, r.end = context.WithCancelCause(ctx)
	defer r.end(nil)
	removeNamespace, err := r.enter(ctx, r.end)
	if err != nil {
		return nil, err
	}
	// Pods are removed before the drivers. A cluster takes seconds to remove a namespace,
	// so that those of specs, workers and agents are removed at the same time.
	beforeDrivers := []func() error{removeNamespace}
	_, contextName := cl.kubeconfig()
	defer func() {
		removed := inParallel(beforeDrivers)
		err = errors.Join(err, r.notRemoved(cl.owned(), contextName, removed, drivers.uninstall(ctx)))
	}()
	ofClassic := r.divideClassic(ctx, runnable)
	others := without(runnable, ofClassic)
	err = drivers.install(ctx, others)
	r.report.Subject = r.withClassic(drivers.reportSubject(), ofClassic)
	if err != nil {
		return nil, err
	}
	removeClassic, err := r.buildClassicController(ctx, runnable)
	beforeDrivers = append(beforeDrivers, removeClassic)
	if err != nil {
		return nil, err
	}
	removeAgents, err := r.startPods(ctx, planned.Subject().Drivers(), runnable)
	beforeDrivers = append(beforeDrivers, func() error { return removeAgents(ctx) })
	if err != nil {
		return nil, err
	}
	shares, err := r.shares(ctx, cl, planned.Subject(), others)
	if err != nil {
		return nil, err
	}
	shares = append(ofClassic, shares...)
	r.expectVerdict(runnable, shares)
	byWorkers, workersEnded := r.runShares(ctx, cl, shares)
	workersEnded = sync.OnceValue(workersEnded)
	beforeDrivers = append(beforeDrivers, workersEnded)
	if serial := len(runnable) - len(byWorkers); serial > 0 {
		// What workers still remove would disturb these specs.
		_ = workersEnded()
		r.task = r.Progress.TaskOf("spec alone", "%s, one at a time", specCount(serial))
		r.byWorkers = len(byWorkers)
		defer r.task.Done("")
	}
	return planned.Run(ctx, byWorkers)
}

// inParallel calls functions at the same time and returns their errors.
func inParallel(all []func() error) error {
	errs := make([]error, len(all))
	var calls sync.WaitGroup
	for i, call := range all {
		calls.Go(func() { errs[i] = call() })
	}
	calls.Wait()
	return errors.Join(errs...)
}

// startPods installs node agents and, at the same time, checks that pods of specs run. It
// returns a function that removes the agents.
func (r *runner) startPods(ctx context.Context, drivers []string, specs []suite.Spec) (removeAgents func(context.Context) error, err error) {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		removeAgents, err = r.installAgents(ctx, drivers, specs)
		return err
	})
	group.Go(func() error { return r.checkPods(ctx) })
	err = group.Wait()
	return removeAgents, err
}

// permitted is what a run may do with its cluster in addition to the API.
type permitted struct {
	nodes        operations.Nodes
	controlPlane operations.ControlPlane
	owned        bool
	// onlySimulated states that the cluster is a control plane without nodes.
	onlySimulated bool
	// kubeconfig is the file with access to the cluster.
	kubeconfig string
}

func accessTo(cl cluster) permitted {
	kubeconfig, _ := cl.kubeconfig()
	_, onlySimulated := cl.(*controlPlaneCluster)
	return permitted{cl.nodes(), cl.controlPlane(), cl.owned(), onlySimulated, kubeconfig}
}

// target returns what specs find in the cluster.
func (r *runner) target(ctx context.Context, drivers drivers, allowed permitted) (env.Target, error) {
	target := env.Target{
		Found: r.report.Features, Workers: r.report.Cluster.Workers,
		Release: r.report.Cluster.Release(), Scheduler: r.scheduler(r.report.Cluster), Kubelet: r.report.Cluster.Oldest("kubelet"),
		Nodes: allowed.nodes, UnusablePool: r.unusablePool, ForeignScheduler: r.hasForeignScheduler(),
	}
	if allowed.onlySimulated {
		target.OnlySimulatedNodes = "the provider " + ControlPlane + " has simulated nodes only"
	}
	drivers.addTo(&target)
	r.addClassicControllers(ctx, &target, allowed.kubeconfig)
	// Only the cluster's own scheduler can be controlled. With the provider
	// control-plane, the run has started the scheduler of any name.
	if r.SchedulerName == "" || r.Provider == ControlPlane {
		target.ControlPlane = allowed.controlPlane
		target.Metrics, _ = allowed.controlPlane.(operations.Metrics)
	}
	return target, r.connectAgents(&target, allowed.owned)
}

// suiteOptions returns the options of the suite.
func (r *runner) suiteOptions(target env.Target) suite.Options {
	if r.guest() {
		r.among = guest.New(r.guestConfig(target.Subject))
	}
	return suite.Options{
		Specs: r.specs, Selected: r.selected, Selection: r.Selection,
		Client: r.client, As: r.as, Target: target,
		Workload: r.WorkloadImage, Scheduler: r.SchedulerName, Labels: r.labels(), Namespace: r.ofProcess("draconform-" + r.suffix), Guest: r.among,
		Temporary: r.Provider != Existing && !r.Keep && !r.handsOn,
		Timeouts:  r.timeouts().For(r.described...), SpecTimeout: r.specLimit(),
		Watched: target.OnlySimulatedNodes != "", Components: r.Provider == Kind || r.KindCluster != "",
		FailFast: r.FailFast, Process: r.worker, Dir: r.dir,
		Started: r.specStarted, Finished: func(result suite.Result, _, _ int) {
			r.specFinished(result)
			r.task.Update("%d of %d finished", specCount(r.finished-r.byWorkers), r.total-r.byWorkers)
		},
	}
}

func (r *runner) specStarted(s suite.Spec, _, _ int) {
	r.task.Begin(s.ID)
	r.Progress.Printf("   spec %d of %d: %s", r.finished+1, r.total, s.ID)
}

func (r *runner) specFinished(result suite.Result) {
	r.finished++
	r.task.End(result.Spec.ID)
	r.live.Finished(report.Specs([]suite.Result{result}, r.started)[0])
	mark, note := "✓", ""
	if result.Outcome != suite.Passed {
		mark = "✗"
	}
	if result.Spec.Level == suite.Provisional {
		note = ", provisional"
	}
	r.Progress.Printf(" %s spec %d of %d: %s: %s (%s%s)", mark, r.finished, r.total, result.Spec.ID, result.Outcome, result.Duration.Round(100*time.Millisecond), note)
	if result.Reason != "" {
		r.Progress.Printf("%s", indent(result.Reason))
	}
}
