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

// divideByNode divides the specs that use one node among processes, each with a
// node of its own, which its specs may restart. It returns none in a cluster that
// may have neighbours: they may use the devices of one node and leave those of
// another.
func (r *runner) divideByNode(ctx context.Context, cl cluster, of subject.Subject, runnable []suite.Spec) ([]share, error) {
	if !r.hasWorkers() || cl.kindName() == "" {
		return nil, nil
	}
	by := map[string][]suite.Spec{}
	for _, s := range runnable {
		if drivers := driversOf(of, []suite.Spec{s}); s.OneNode && len(drivers) == 1 {
			by[drivers[0]] = append(by[drivers[0]], s)
		}
	}
	on, err := r.nodesByDriver(ctx, of, slices.Collect(maps.Keys(by)))
	if err != nil {
		return nil, err
	}
	nodes := spread(on, by)
	var shares []share
	for _, driver := range slices.Sorted(maps.Keys(nodes)) {
		for _, s := range shareOut(by[driver], nodes[driver]) {
			s.driver = driver
			shares = append(shares, s)
		}
	}
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

// spread gives each node to one driver that has devices on it: to each driver one,
// and further ones to those with the most specs for each of their nodes. A driver
// gets no more nodes than it has specs.
func spread(on map[string][]string, specs map[string][]suite.Spec) map[string][]string {
	given, taken := map[string][]string{}, map[string]bool{}
	load := func(driver string) float64 { return float64(weight(specs[driver])) / float64(len(given[driver])) }
	// A driver with few nodes has the smallest choice.
	drivers := slices.SortedFunc(maps.Keys(on), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(on[a]), len(on[b])), cmp.Compare(a, b))
	})
	for {
		next, node := "", ""
		for _, driver := range drivers {
			free := slices.IndexFunc(on[driver], func(node string) bool { return !taken[node] })
			if free >= 0 && len(given[driver]) < len(specs[driver]) && (next == "" || load(driver) > load(next)) {
				next, node = driver, on[driver][free]
			}
		}
		if next == "" {
			return given
		}
		given[next], taken[node] = append(given[next], node), true
	}
}

// shareOut divides specs among nodes, those that take longest first.
func shareOut(specs []suite.Spec, nodes []string) []share {
	shares := make([]share, len(nodes))
	for i, node := range nodes {
		shares[i].node = node
	}
	longest := slices.SortedStableFunc(slices.Values(byCapabilities(specs)), func(a, b []suite.Spec) int {
		return cmp.Compare(weight(b), weight(a))
	})
	for _, together := range longest {
		least := &shares[0]
		for i := range shares {
			if weight(shares[i].specs) < weight(least.specs) {
				least = &shares[i]
			}
		}
		least.specs = append(least.specs, together...)
	}
	return shares
}

// byCapabilities groups specs for which a driver needs the same capabilities: only
// the first of them in a process waits until it is found out that a driver lacks
// one. Each other spec is a group.
func byCapabilities(specs []suite.Spec) [][]suite.Spec {
	var groups [][]suite.Spec
	for _, s := range specs {
		i := slices.IndexFunc(groups, func(of []suite.Spec) bool {
			return len(s.Capabilities) > 0 && slices.Equal(of[0].Capabilities, s.Capabilities)
		})
		if i < 0 {
			groups = append(groups, []suite.Spec{s})
			continue
		}
		groups[i] = append(groups[i], s)
	}
	return groups
}

// weight estimates how long specs take, in multiples of a spec that restarts
// nothing. The first of the specs that need a capability may wait for it in vain.
func weight(specs []suite.Spec) int {
	const restartOfNode, restartOfDriver, lackOfCapability = 6, 2, 5
	sum := 0
	found := map[string]bool{}
	for _, s := range specs {
		switch {
		case slices.Contains(s.Needs, env.NeedsNodes):
			sum += restartOfNode
		case slices.Contains(s.Needs, env.NeedsDriverRestart), slices.Contains(s.Needs, env.NeedsDriverStop):
			sum += restartOfDriver
		default:
			sum++
		}
		for _, capability := range s.Capabilities {
			if !found[string(capability)] {
				found[string(capability)] = true
				sum += lackOfCapability
			}
		}
	}
	return sum
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
