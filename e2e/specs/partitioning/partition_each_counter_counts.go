// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionEachCounterCounts publishes one GPU for each counter of an A100,
// with three devices: one consumes all of this counter and nothing else, one
// consumes a little of every counter, and one consumes all of the other
// counters. Pods for the first device of each GPU are scheduled. After that,
// pods for the second device of each GPU are unschedulable, and pods for the
// third are scheduled.
var partitionEachCounterCounts = suite.Spec{
	ID:          "partition-each-counter-counts",
	Description: "A device is unavailable if any one of the counters that it consumes is used up, and other counters do not matter.",
	Profile:     profile,
	Level:       suite.Core,
	Smoke:       true,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-each-counter-counts",
		"4815-other-counters-untouched",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-rest-stays-allocatable",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory, counters := oneGPUForEachCounter(sim.Names[0])
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		var all, some, rest []string
		for _, counter := range counters {
			all, some, rest = append(all, "all-"+counter), append(some, "some-"+counter), append(rest, "rest-"+counter)
		}
		for _, pod := range all {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, pod))
		}
		pods.WaitForScheduled(ctx, e, all...)

		for _, pod := range some {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, pod))
		}
		pods.WaitForAllUnschedulable(ctx, e, "each needs something of a counter of which nothing is left", some...)

		for _, pod := range rest {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, pod))
		}
		pods.WaitForScheduled(ctx, e, rest...)
	},
}

// oneGPUForEachCounter returns as many GPUs as an A100 has counters, and the
// names of the counters. Each GPU has three devices: one uses up its counter,
// one consumes a little of each counter, and one uses up all other counters.
func oneGPUForEachCounter(node string) (*simulated.Inventory, []string) {
	var names []string
	for name, counter := range a100s(node, 1).CounterSets[0].Counters {
		if !counter.Value.IsZero() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	inventory := &simulated.Inventory{CounterSets: a100s(node, len(names)).CounterSets}
	for i, set := range inventory.CounterSets {
		all, some, rest := map[string]resourceapi.Counter{}, map[string]resourceapi.Counter{}, maps.Clone(set.Counters)
		all[names[i]] = set.Counters[names[i]]
		delete(rest, names[i])
		for _, name := range names {
			some[name] = resourceapi.Counter{Value: resource.MustParse("1")}
		}
		for prefix, counters := range map[string]map[string]resourceapi.Counter{"all-": all, "some-": some, "rest-": rest} {
			device := fixture.Devices(prefix + names[i]).Devices[0]
			device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set.Name, Counters: counters}}
			inventory.Devices = append(inventory.Devices, device)
		}
	}
	return inventory, names
}
