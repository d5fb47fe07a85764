// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// runOnNodes runs the specs that restart one node in workers, for each driver on a
// node of its own, and returns their results. It returns none if the nodes cannot
// be restarted, or if there are too few.
func (r *runner) runOnNodes(ctx context.Context, cl cluster, of subject.Subject, runnable []suite.Spec) (map[string]suite.Result, error) {
	if !r.hasWorkers() || cl.kindName() == "" || ctx.Err() != nil {
		return nil, nil //nolint:nilerr // The cancellation is reported elsewhere.
	}
	by := map[string][]suite.Spec{}
	for _, s := range runnable {
		if drivers := driversOf(of, []suite.Spec{s}); s.RestartsOneNode() && len(drivers) == 1 {
			by[drivers[0]] = append(by[drivers[0]], s)
		}
	}
	nodes, err := r.nodeOfEach(ctx, of, slices.Sorted(maps.Keys(by)))
	if err != nil {
		return nil, err
	}
	var shares []share
	for driver, node := range nodes {
		shares = append(shares, share{specs: by[driver], node: node})
	}
	slices.SortFunc(shares, func(a, b share) int { return cmp.Compare(a.node, b.node) })
	return r.runShares(ctx, cl, shares)
}

// nodeOfEach returns a node for each driver that has devices on one which no other
// driver gets.
func (r *runner) nodeOfEach(ctx context.Context, of subject.Subject, drivers []string) (map[string]string, error) {
	e := &env.Env{Client: r.client, Subject: of}
	if r.guest() {
		e.Guest = &env.Guest{Architectures: architectures(r.WorkloadImage)}
	}
	on := map[string][]string{}
	for _, driver := range drivers {
		nodes, err := devices.ListNodes(ctx, e, driver)
		if err != nil {
			return nil, err
		}
		on[driver] = nodes
	}
	found, taken := map[string]string{}, map[string]bool{}
	// A driver with few nodes has the smallest choice.
	for _, driver := range slices.SortedStableFunc(slices.Values(drivers), func(a, b string) int { return cmp.Compare(len(on[a]), len(on[b])) }) {
		if i := slices.IndexFunc(on[driver], func(node string) bool { return !taken[node] }); i >= 0 {
			found[driver], taken[on[driver][i]] = on[driver][i], true
		}
	}
	return found, nil
}

// nodes returns access to the nodes for a worker whose specs restart one. It is nil
// for others.
func (p workerInput) nodes(ctx context.Context) (operations.Nodes, error) {
	if p.Node == "" {
		return nil, nil
	}
	e, err := engine.Find(ctx)
	if err != nil {
		return nil, err
	}
	return kind.Find(ctx, e, p.KindCluster, p.Kubeconfig)
}
