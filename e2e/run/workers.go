// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/suite"
)

// firstWorker is the number of the process of the first share. The run itself is the first.
const firstWorker = 2

// workers are processes that run specs in parallel.
type workers struct {
	*runner
	cluster cluster
	specs   []suite.Spec // The specs that the workers run.
	task    *progress.Task

	mu      sync.Mutex
	results map[string]suite.Result
	// stop ends all workers.
	stop context.CancelCauseFunc
	// slots bounds how many of them run at the same time.
	slots *semaphore.Weighted
}

// errFailFast ends the workers when a spec has failed and FailFast is set.
var errFailFast = errors.New("a spec failed")

// runShares runs each share in a process and returns the results when all specs have
// ended. Processes may then still remove what they created: ended waits for them and
// returns their errors. It must be called. Specs that use one node start when those that
// use all devices of a driver have ended, or the other way round in a run among other
// workloads: the process of the latter may have to bring back the driver's version on all
// nodes afterwards. runShares returns no results if there are fewer than two shares: the
// process of the run is enough for them.
func (r *runner) runShares(ctx context.Context, cl cluster, shares []share) (results map[string]suite.Result, ended func() error) {
	if len(shares) < 2 {
		return map[string]suite.Result{}, func() error { return nil }
	}
	var all []suite.Spec
	var wide, onNodes, simulated []share
	for i, s := range shares {
		all = append(all, without(s.specs, []share{{specs: all}})...)
		s.process = firstWorker + i
		if s.apart != nil {
			r.Progress.Printf("   a control plane for specs that must run alone: logs in %s", filepath.Join(r.dir, fmt.Sprintf("control-plane-p%d", s.process)))
		}
		switch {
		case s.node != "":
			onNodes = append(onNodes, s)
		case s.driver != "":
			wide = append(wide, s)
		default:
			simulated = append(simulated, s)
		}
	}
	ctx, stop := context.WithCancelCause(ctx)
	p := &workers{runner: r, cluster: cl, specs: all, results: map[string]suite.Result{}, stop: stop, slots: semaphore.NewWeighted(int64(r.Parallel))}
	p.task = r.Progress.TaskOf("spec", "%d specs in %d processes, up to %d at a time", len(all), len(shares), r.Parallel)
	var processes errgroup.Group
	var judged sync.WaitGroup
	judged.Go(func() {
		first, next := wide, onNodes
		if r.guest() {
			first, next = onNodes, wide
		}
		p.runAll(ctx, &processes, first)
		p.runAll(ctx, &processes, next)
	})
	judged.Go(func() { p.runAll(ctx, &processes, simulated) })
	judged.Wait()
	p.task.Done("")
	return p.allResults(ctx), func() error {
		defer r.removeEnded()
		defer stop(nil)
		return processes.Wait()
	}
}

// allResults returns the results of all specs.
func (p *workers) allResults(ctx context.Context) map[string]suite.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Clone(p.results)
	for _, s := range p.specs {
		if _, ok := all[s.ID]; !ok {
			all[s.ID] = missing(ctx, s)
		}
	}
	return all
}

// runAll runs shares in this order, each as soon as fewer than Parallel processes run
// specs. It returns when all specs have ended. Processes of the group may then still
// remove what they created, which can take longer than a spec. An error of one ends the
// others.
func (p *workers) runAll(ctx context.Context, group *errgroup.Group, shares []share) {
	ctx, end := context.WithCancelCause(ctx)
	var judged, processes sync.WaitGroup
	for _, s := range shares {
		// If the context has ended, the specs are reported as not run.
		if p.slots.Acquire(ctx, 1) != nil {
			break
		}
		judged.Add(1)
		specsEnded := sync.OnceFunc(func() {
			p.slots.Release(1)
			judged.Done()
		})
		processes.Add(1)
		group.Go(func() error {
			defer processes.Done()
			defer specsEnded()
			err := p.run(ctx, s, specsEnded)
			if err != nil {
				end(err)
			}
			return err
		})
	}
	group.Go(func() error {
		processes.Wait()
		end(nil)
		return nil
	})
	judged.Wait()
}

// missing returns the result of a spec that no worker has reported.
func missing(ctx context.Context, s suite.Spec) suite.Result {
	if ended := suite.EndedIn(ctx); ended != nil {
		return suite.Result{Spec: s, Outcome: suite.Skipped, Reason: "not run, because " + ended.Summary()}
	}
	if context.Cause(ctx) != nil {
		return suite.Result{Spec: s, Outcome: suite.Skipped, Reason: "not run, because an earlier spec failed or the run was interrupted"}
	}
	return suite.Result{Spec: s, Reason: "the process that should run it ended before"}
}
