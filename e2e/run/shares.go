// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"maps"
	"slices"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// share are the specs of one worker.
type share struct {
	specs []suite.Spec
	// queue decides which of the specs it runs, if other workers have them, too.
	queue *queue
	// node is the only node that they use and may restart. Empty means that they
	// use any, and restart none.
	node string
	// driver is the driver whose devices they use, on all nodes unless node is set.
	// Empty means that they use simulated nodes, or none.
	driver string
	// apart has the parts of a control plane of their own, on which they run one after
	// the other. It is nil if they run in the cluster.
	apart *controlPlaneParts
	// process numbers the processes of the run.
	process int
}

// shares divides the specs that can run in parallel among processes, and those that
// cannot if there can be another cluster for them.
func (r *runner) shares(ctx context.Context, cl cluster, of subject.Subject, runnable []suite.Spec) ([]share, error) {
	onNodes, err := r.divideByNode(ctx, cl, of, runnable)
	if err != nil {
		return nil, err
	}
	apart, err := r.divideApart(ctx, cl, of, runnable)
	if err != nil {
		return nil, err
	}
	rest := slices.DeleteFunc(without(runnable, onNodes), func(s suite.Spec) bool { return !canRunInParallel(of, s) })
	inCluster := r.divide(of, rest, len(apart)+len(onNodes))
	r.takeOver(apart, inCluster)
	// The shares start in this order. A control plane of its own takes a while to start.
	return slices.Concat(apart, inCluster, onNodes), nil
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
// each of them may stop that driver, or use the only devices that it has. The share of a
// driver that takes longest starts first. The others are shared by the processes that can
// run next to those on nodes or apart, but at least by half of all.
func (r *runner) divide(of subject.Subject, specs []suite.Spec, others int) []share {
	if !r.hasWorkers() {
		return nil
	}
	var free []suite.Spec
	by := map[string]*share{}
	for _, s := range specs {
		drivers := driversOf(of, []suite.Spec{s})
		if len(drivers) == 0 {
			free = append(free, s)
			continue
		}
		if by[drivers[0]] == nil {
			by[drivers[0]] = &share{driver: drivers[0]}
		}
		by[drivers[0]].specs = append(by[drivers[0]].specs, s)
	}
	var shares []share
	for _, driver := range slices.Sorted(maps.Keys(by)) {
		shares = append(shares, *by[driver])
	}
	for _, s := range shares {
		slices.SortStableFunc(s.specs, r.order.compareFirst)
	}
	slices.SortStableFunc(shares, func(a, b share) int { return r.order.compare(a.specs, b.specs) })
	return append(shares, r.order.together(free, max(r.Parallel-others, r.Parallel/2))...)
}

// together returns at most n shares that all have all specs, in their order. Each worker
// runs those that no other one has begun.
func (o order) together(specs []suite.Spec, n int) []share {
	ordered := slices.SortedStableFunc(slices.Values(specs), o.compareSpecs)
	return slices.Repeat([]share{{specs: ordered, queue: newQueue(nil)}}, min(n, len(specs)))
}

// takeOver lets the processes with control planes of their own run specs of the cluster's
// processes when they have none left themselves. These are specs with simulated nodes.
func (r *runner) takeOver(apart, inCluster []share) {
	i := slices.IndexFunc(inCluster, func(s share) bool { return s.queue != nil })
	if i < 0 {
		return
	}
	movable := slices.DeleteFunc(slices.Clone(inCluster[i].specs), r.needsTheCluster)
	for j := range apart {
		apart[j].specs, apart[j].queue = slices.Concat(apart[j].specs, movable), inCluster[i].queue
	}
}
