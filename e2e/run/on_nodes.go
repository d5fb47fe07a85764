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

// divideByNode returns the specs that use one node as the shares of processes that have
// a node each, which their specs may restart. All of these processes have all specs for
// which their node has the devices, and run those that no other one has begun. It
// returns none in a cluster that may have neighbours: they may use the devices of one
// node and leave those of another.
func (r *runner) divideByNode(ctx context.Context, cl cluster, of subject.Subject, runnable []suite.Spec) ([]share, error) {
	if !r.hasWorkers() || cl.kindName() == "" {
		return nil, nil
	}
	var specs []suite.Spec
	for _, s := range runnable {
		if s.OneNode && len(driversOf(of, []suite.Spec{s})) > 0 {
			specs = append(specs, s)
		}
	}
	on, err := r.nodesByDriver(ctx, of, driversOf(of, specs))
	if err != nil {
		return nil, err
	}
	shares := shareOut(r.order.groupsOf(of, specs, on))
	if len(shares) < 2 {
		return nil, nil
	}
	return shares, nil
}

// nodesByDriver returns the nodes on which each driver has devices.
func (r *runner) nodesByDriver(ctx context.Context, of subject.Subject, drivers []string) (map[string][]string, error) {
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
	return on, nil
}

// group are specs that run in the same process.
type group struct {
	specs []suite.Spec
	// nodes have devices of all drivers that the specs use.
	nodes []string
}

// groupsOf returns the groups of specs for which there is a node, in their order. Specs
// are in a group if drivers may lack a capability that they need and that only shows after
// a while: only the first of them in a process waits for it. Each other spec is a group.
func (o order) groupsOf(of subject.Subject, specs []suite.Spec, on map[string][]string) []group {
	var groups []group
	for _, s := range specs {
		drivers, needed := driversOf(of, []suite.Spec{s}), lateCapabilities(s)
		i := slices.IndexFunc(groups, func(g group) bool {
			return len(needed) > 0 && slices.Equal(lateCapabilities(g.specs[0]), needed) && slices.Equal(driversOf(of, g.specs), drivers)
		})
		if i < 0 {
			groups = append(groups, group{nodes: nodesOfAll(drivers, on)})
			i = len(groups) - 1
		}
		groups[i].specs = append(groups[i].specs, s)
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return len(g.nodes) == 0 })
	slices.SortStableFunc(groups, func(a, b group) int { return o.compare(a.specs, b.specs) })
	return groups
}

// nodesOfAll returns the nodes with devices of all these drivers.
func nodesOfAll(drivers []string, on map[string][]string) []string {
	return slices.DeleteFunc(slices.Clone(on[drivers[0]]), func(node string) bool {
		return slices.ContainsFunc(drivers, func(driver string) bool { return !slices.Contains(on[driver], node) })
	})
}

// shareOut returns a share for each node that would get specs if they were divided
// evenly. Each has all specs that its node could run.
func shareOut(groups []group) []share {
	planned := map[string]int{}
	for _, g := range groups {
		node := slices.MinFunc(g.nodes, func(a, b string) int { return cmp.Compare(planned[a], planned[b]) })
		planned[node] += seconds(g.specs)
	}
	var shares []share
	q := newQueue(groups)
	for _, node := range slices.Sorted(maps.Keys(planned)) {
		s := share{node: node, queue: q}
		for _, g := range groups {
			if slices.Contains(g.nodes, node) {
				s.specs = append(s.specs, g.specs...)
			}
		}
		shares = append(shares, s)
	}
	return shares
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
