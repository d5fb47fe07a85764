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
	shares := shareOut(by, on)
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

// shareOut divides the specs of each driver among the nodes with its devices, those
// that take longest first.
func shareOut(specs map[string][]suite.Spec, on map[string][]string) []share {
	type group struct {
		driver string
		specs  []suite.Spec
	}
	var groups []group
	byNode := map[string]*share{}
	for _, driver := range slices.Sorted(maps.Keys(specs)) {
		for _, together := range byCapabilities(specs[driver]) {
			groups = append(groups, group{driver, together})
		}
		for _, node := range on[driver] {
			byNode[node] = &share{node: node}
		}
	}
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(seconds(b.specs), seconds(a.specs)) })
	for _, g := range groups {
		if len(on[g.driver]) == 0 {
			continue
		}
		node := slices.MinFunc(on[g.driver], func(a, b string) int {
			return cmp.Compare(seconds(byNode[a].specs), seconds(byNode[b].specs))
		})
		byNode[node].specs = append(byNode[node].specs, g.specs...)
	}
	var shares []share
	for _, node := range slices.Sorted(maps.Keys(byNode)) {
		if len(byNode[node].specs) > 0 {
			shares = append(shares, *byNode[node])
		}
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
