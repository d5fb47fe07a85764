// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// workers are processes that run specs in parallel.
type workers struct {
	*runner
	specs []suite.Spec // The specs that the workers run.
	task  *progress.Task

	mu      sync.Mutex
	results map[string]suite.Result
	// stop ends all workers.
	stop context.CancelCauseFunc
}

// errFailFast ends the workers when a spec has failed and FailFast is set.
var errFailFast = errors.New("a spec failed")

// share are the specs of one worker.
type share struct {
	specs []suite.Spec
	// node is the only node that they use and may restart. Empty means that they
	// use any, and restart none.
	node string
}

// runInWorkers runs the independent specs in separate processes and returns
// their results. It returns none if the run has only one process.
func (r *runner) runInWorkers(ctx context.Context, cl cluster, of subject.Subject, runnable []suite.Spec) (map[string]suite.Result, error) {
	all := slices.DeleteFunc(slices.Clone(runnable), func(s suite.Spec) bool { return !canRunInParallel(of, s) })
	var shares []share
	for _, specs := range r.divide(of, all) {
		shares = append(shares, share{specs: specs})
	}
	return r.runShares(ctx, cl, shares)
}

// runShares runs each share in a process and returns the results. It returns none
// if there are fewer than two shares: the process of the run is enough for them.
func (r *runner) runShares(ctx context.Context, cl cluster, shares []share) (map[string]suite.Result, error) {
	results := map[string]suite.Result{}
	if len(shares) < 2 {
		return results, nil
	}
	var all []suite.Spec
	for _, s := range shares {
		all = append(all, s.specs...)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	p := &workers{runner: r, specs: all, results: results, stop: stop}
	p.task = r.Progress.TaskOf("spec", "%d specs in %d processes, up to %d at a time", len(all), len(shares), r.Parallel)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(r.Parallel)
	for _, s := range shares {
		r.processes++
		process := r.processes + 1
		group.Go(func() error { return p.run(groupCtx, cl, process, s) })
	}
	err := group.Wait()
	p.task.Done("")
	for _, s := range all {
		if _, ok := p.results[s.ID]; !ok {
			p.results[s.ID] = missing(ctx, s)
		}
	}
	return p.results, err
}

// canRunInParallel reports whether a spec may run in parallel with others.
func canRunInParallel(of subject.Subject, s suite.Spec) bool {
	return !s.Serial() && len(driversOf(of, []suite.Spec{s})) < 2
}

// without returns the specs that are in no share.
func without(specs []suite.Spec, shares []share) []suite.Spec {
	return slices.DeleteFunc(slices.Clone(specs), func(s suite.Spec) bool {
		return slices.ContainsFunc(shares, func(of share) bool {
			return slices.ContainsFunc(of.specs, func(other suite.Spec) bool { return other.ID == s.ID })
		})
	})
}

// hasWorkers reports whether the run has more than one process. It has not if all
// specs share a given namespace.
func (r *runner) hasWorkers() bool {
	return r.Worker != nil && r.Parallel > 1 && r.Namespace == ""
}

// divide divides specs among processes. It returns none if the run has only one
// process. Specs that use devices of the same driver run in the same process, as
// each of them may stop that driver, or use the only devices that it has. Specs
// without devices are distributed among all processes. The largest share starts
// first because it takes longest.
func (r *runner) divide(of subject.Subject, specs []suite.Spec) [][]suite.Spec {
	if !r.hasWorkers() {
		return nil
	}
	by := map[string][]suite.Spec{}
	free := 0
	for _, s := range specs {
		key := strconv.Itoa(free % r.Parallel)
		if drivers := driversOf(of, []suite.Spec{s}); len(drivers) > 0 {
			key = drivers[0]
		} else {
			free++
		}
		by[key] = append(by[key], s)
	}
	var shares [][]suite.Spec
	for _, key := range slices.Sorted(maps.Keys(by)) {
		shares = append(shares, by[key])
	}
	slices.SortStableFunc(shares, func(a, b []suite.Spec) int { return len(b) - len(a) })
	return shares
}

// missing returns the result of a spec that no worker has reported.
func missing(ctx context.Context, s suite.Spec) suite.Result {
	if context.Cause(ctx) != nil {
		return suite.Result{Spec: s, Outcome: suite.Skipped, Reason: "not run, because an earlier spec failed or the run was interrupted"}
	}
	return suite.Result{Spec: s, Reason: "the process that should run it ended before"}
}

// run runs specs in a process, unless the workers were ended before it started.
func (p *workers) run(ctx context.Context, cl cluster, process int, of share) error {
	if ctx.Err() != nil {
		return nil //nolint:nilerr // The cancellation is reported elsewhere.
	}
	var ids []string
	for _, s := range of.specs {
		ids = append(ids, s.ID)
	}
	kubeconfig, contextName := cl.kubeconfig()
	config := p.Config
	config.Progress, config.Worker = nil, nil
	described, err := json.Marshal(workerInput{
		Config: config, Process: process, ID: p.id, Suffix: p.suffix, Dir: p.dir, Kubeconfig: kubeconfig, Context: contextName, Owned: cl.owned(),
		Cluster: p.report.Cluster, Features: p.report.Features, Specs: ids, Node: of.node, KindCluster: cl.kindName(),
	})
	if err != nil {
		return fmt.Errorf("describe the specs of a worker: %w", err)
	}
	cmd := p.Worker(ctx)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(described), &stderr
	// The process removes what it has created before it ends.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = cleanupTimeout
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	err = errors.Join(readResults(out, p.record), cmd.Wait())
	if err != nil && !errors.Is(context.Cause(ctx), errFailFast) {
		return fmt.Errorf("worker %d of the run: %w: %s", process, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}

// record stores a result that a worker reports.
func (p *workers) record(f workerResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.specs, func(s suite.Spec) bool { return s.ID == f.ID })
	if i < 0 {
		return
	}
	result := suite.Result{Spec: p.specs[i], Outcome: f.Outcome, Reason: f.Reason, Started: f.Started, Duration: f.Duration, Steps: f.Steps}
	p.results[f.ID] = result
	p.specFinished(result)
	p.task.Update("%s finished", specCount(len(p.results)))
	if p.FailFast && result.Fails() {
		p.stop(errFailFast)
	}
}
