// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/report/live"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/guest"
)

// ErrConfig is wrapped by errors about the configuration. Nothing has been
// created in that case.
var ErrConfig = errors.New("wrong configuration")

const (
	// cleanupTimeout limits the removal of what a run created. It also applies
	// to interrupted runs.
	cleanupTimeout = 2 * time.Minute
	// installTimeout limits the wait for the driver on all nodes.
	installTimeout = 2 * time.Minute
	// specTimeout limits one spec, see plan.specLimit. Its waits have shorter limits, each of
	// which a busy cluster may nearly need: this one is for specs that do not end at all.
	specTimeout = 30 * time.Minute
	// writeTimeout limits the rendering of pictures of the artifacts of failed
	// specs.
	writeTimeout = time.Minute
)

// Run runs the specs and returns the report, which it also writes into a new
// subdirectory of Config.Dir. The error states why the run could not be
// completed. The verdict is failed or incomplete in that case. It wraps [ErrConfig] or
// [ErrNotStarted] if nothing was created.
//
// A run has these steps: create the cluster, inspect it, plan the specs, run
// them, determine the verdict, and write the report. Independent specs run in
// parallel in processes of their own (see [Config.Worker] and [Worker]),
// because Ginkgo runs one spec at a time. The others run afterwards in this
// process.
func Run(ctx context.Context, c Config, specs []suite.Spec) (report.Report, error) {
	return run(ctx, journeyProcess{Config: c}, specs)
}

// run is Run for any run, the one of a journey in a process of its own included.
func run(ctx context.Context, of journeyProcess, specs []suite.Spec) (report.Report, error) {
	c := of.Config
	p, err := c.plan(specs)
	if err != nil {
		return report.Report{}, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	dir := filepath.Join(c.Dir, p.id)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return report.Report{}, fmt.Errorf("make the folder of the run: %w", err)
	}
	log, err := live.Create(dir, live.Run{ID: p.id, Version: p.Version, Started: p.started})
	if err != nil {
		return report.Report{}, err
	}
	defer log.Close()
	defer log.Follow(p.Progress)()
	p.Progress.Printf("run %s, results in %s", p.id, dir)
	r := &runner{plan: p, dir: dir, live: log, taken: of.Taken, handsOn: of.HandsOn}
	results, err := r.run(ctx)
	r.report.Verdict = report.NewVerdict(results, p.claims, err)
	r.report.Specs = report.Specs(results, p.started)
	r.report.Run = p.reportRun()
	return r.report, errors.Join(err, r.write(ctx))
}

// run provides the cluster, inspects it, plans and runs the specs, and removes
// what was created in the reverse order of creation.
func (r *runner) run(ctx context.Context) (results []suite.Result, err error) {
	cl, err := r.cluster(ctx)
	if err != nil {
		return nil, r.notStarted(ctx, err)
	}
	defer func() { err = errors.Join(err, r.finish(ctx, cl, results, err)) }()
	if err := r.create(ctx, cl); err != nil {
		return nil, r.notStarted(ctx, err)
	}
	ctx, unwatch := cl.watch(ctx)
	defer func() { err = withEnded(err, unwatch()) }()
	drivers, planned, err := r.prepare(ctx, cl)
	if err != nil {
		return nil, r.notStarted(ctx, err)
	}
	results, err = r.runSpecs(ctx, cl, drivers, planned)
	if err != nil || suite.AnyFailed(results) {
		err = errors.Join(err, r.exportLogs(ctx, cl))
	}
	return results, err
}

// prepare inspects the cluster and plans the specs. In an existing cluster it creates
// nothing.
func (r *runner) prepare(ctx context.Context, cl cluster) (drivers, *suite.Suite, error) {
	inspectErr := r.inspect(ctx, cl)
	if r.guest() {
		// Findings are clearer about rights without which the cluster cannot be
		// inspected.
		if err := r.preflight(ctx, r.found(inspectErr)); err != nil {
			return nil, nil, err
		}
	}
	if inspectErr != nil {
		return nil, nil, inspectErr
	}
	drivers, err := r.drivers(ctx, cl.owned())
	if err != nil {
		return nil, nil, err
	}
	planned, err := r.planSpecs(ctx, cl, drivers)
	return drivers, planned, err
}

// write writes the report, the page and the Markdown.
func (r *runner) write(ctx context.Context) error {
	path, err := r.report.Write(r.dir)
	if err != nil {
		return err
	}
	r.Progress.Printf("report: %s", path)
	// The report of an interrupted run is written, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := evidence.Write(ctx, r.dir, r.report, evidence.RequirementOutcomes(r.report)); err != nil {
		return err
	}
	r.Progress.Printf("page: %s", filepath.Join(r.dir, evidence.PageFile))
	return nil
}

// runner is one run.
type runner struct {
	*plan
	dir string
	// live is the log for viewers of the run. It is nil in other processes.
	live *live.Log
	// worker is the number of this process. It is zero in the run's own process.
	worker int
	report report.Report
	client kubernetes.Interface
	// config is that of client.
	config *rest.Config
	// taken is the cluster that an earlier journey has left. Nil means a new cluster.
	taken *leftCluster
	// handsOn states that another journey can take the cluster.
	handsOn bool
	// unusablePool is the result of [findUnusablePool] for the cluster.
	unusablePool string
	// among is the run among other workloads. It is nil for a run with the fake
	// drivers.
	among *guest.Guest
	// classicProgram is the controller of classic DRA for the cluster's legacy release. It
	// is empty unless specs need it.
	classicProgram string
	// finished counts the finished specs. total is the number of specs that
	// run.
	finished, total int
	// task shows the progress of the specs that run in this process. byWorkers
	// is the number of specs that ran in other processes.
	task      *progress.Task
	byWorkers int
	// end ends the specs of all processes.
	end context.CancelCauseFunc
}

// ofProcess returns a name that no other process of the run uses.
func (r *runner) ofProcess(name string) string {
	if r.worker == 0 {
		return name
	}
	return fmt.Sprintf("%s-p%d", name, r.worker)
}

func (r *runner) labels() map[string]string { return map[string]string{engine.RunLabel: r.id} }
