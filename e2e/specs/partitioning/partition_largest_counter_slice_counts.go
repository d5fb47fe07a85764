// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"
	"maps"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionLargestCounterSliceCounts publishes as many counter sets as a ResourceSlice
// can have, each with as many counters as possible. Some devices consume the last
// counter of a set, others all other counters of it.
var partitionLargestCounterSliceCounts = suite.Spec{
	ID:           "partition-largest-counter-slice-counts",
	Description:  "All counters of the largest ResourceSlice with counters count, each by itself.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // Before, a slice has at most 32 counters.
	Requirements: []string{"4815-counters-across-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		one := resourceapi.Counter{Value: resource.MustParse("1")}
		const last = resourceapi.ResourceSliceMaxCountersPerCounterSet - 1
		inventory := &simulated.Inventory{}
		var first, others, again []string
		for s := range resourceapi.ResourceSliceMaxCounterSets {
			set := resourceapi.CounterSet{Name: fmt.Sprintf("set-%d", s), Counters: map[string]resourceapi.Counter{}}
			rest := map[string]resourceapi.Counter{}
			for c := range last {
				rest[fmt.Sprintf("counter-%02d", c)] = one
			}
			maps.Copy(set.Counters, rest)
			final := map[string]resourceapi.Counter{fmt.Sprintf("counter-%02d", last): one}
			maps.Copy(set.Counters, final)
			inventory.CounterSets = append(inventory.CounterSets, set)
			for name, consumed := range map[string]map[string]resourceapi.Counter{"first": final, "others": rest, "again": final} {
				device := fixture.Devices(fmt.Sprintf("%s-%d", name, s)).Devices[0]
				device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set.Name, Counters: consumed}}
				inventory.Devices = append(inventory.Devices, device)
			}
			first, others, again = append(first, fmt.Sprintf("first-%d", s)), append(others, fmt.Sprintf("others-%d", s)), append(again, fmt.Sprintf("again-%d", s))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		create := func(names []string) {
			for _, name := range names {
				pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
			}
		}
		create(first)
		pods.WaitForScheduled(ctx, e, first...)
		create(again)
		pods.WaitForAllUnschedulable(ctx, e, "other devices use up the last counters of the sets", again...)
		create(others)
		pods.WaitForScheduled(ctx, e, others...)
	},
}
