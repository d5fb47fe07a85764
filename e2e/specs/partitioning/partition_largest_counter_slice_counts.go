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
		inventory := &simulated.Inventory{}
		for number := range resourceapi.ResourceSliceMaxCounterSets {
			addLargestSet(inventory, number)
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		create := func(kind string) (names []string) {
			for number := range resourceapi.ResourceSliceMaxCounterSets {
				name := fmt.Sprintf("%s-%d", kind, number)
				pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
				names = append(names, name)
			}
			return names
		}
		pods.WaitForScheduled(ctx, e, create("first")...)
		pods.WaitForAllUnschedulable(ctx, e, "other devices use up the last counters of the sets", create("again")...)
		pods.WaitForScheduled(ctx, e, create("others")...)
	},
}

// addLargestSet adds a counter set with as many counters as possible. Two devices use
// up its last counter, and one all of its other counters.
func addLargestSet(inventory *simulated.Inventory, number int) {
	one := resourceapi.Counter{Value: resource.MustParse("1")}
	const last = resourceapi.ResourceSliceMaxCountersPerCounterSet - 1
	others := map[string]resourceapi.Counter{}
	for i := range last {
		others[fmt.Sprintf("counter-%02d", i)] = one
	}
	final := map[string]resourceapi.Counter{fmt.Sprintf("counter-%02d", last): one}
	set := resourceapi.CounterSet{Name: fmt.Sprintf("set-%d", number), Counters: maps.Clone(others)}
	maps.Copy(set.Counters, final)
	inventory.CounterSets = append(inventory.CounterSets, set)
	for _, of := range []struct {
		name     string
		consumes map[string]resourceapi.Counter
	}{{"first", final}, {"again", final}, {"others", others}} {
		device := fixture.Devices(fmt.Sprintf("%s-%d", of.name, number)).Devices[0]
		device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set.Name, Counters: maps.Clone(of.consumes)}}
		inventory.Devices = append(inventory.Devices, device)
	}
}
