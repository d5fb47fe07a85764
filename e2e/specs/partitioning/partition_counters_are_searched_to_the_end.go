// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountersAreSearchedToTheEnd publishes large devices before small ones. A claim
// for several devices fits only if it gets no large one.
var partitionCountersAreSearchedToTheEnd = suite.Spec{
	ID:           "partition-counters-are-searched-to-the-end",
	Description:  "Devices whose counters suffice for all of them are found, although thousands of other combinations overdraw the counters and may be tried first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.36", // Before, the scheduler tries devices of a request in each order, which takes too long.
	Requirements: []string{"4815-partitions-fit-together"},
	Body: func(ctx context.Context, e *env.Env) {
		const large, small, count = 12, 8, 8
		counter := func(amount int64) map[string]resourceapi.Counter {
			return map[string]resourceapi.Counter{"units": {Value: *resource.NewQuantity(amount, resource.DecimalSI)}}
		}
		inventory := &simulated.Inventory{CounterSets: []resourceapi.CounterSet{{Name: "card", Counters: counter(4 * count)}}}
		for i, amount := range slices.Concat(slices.Repeat([]int64{9}, large), slices.Repeat([]int64{4}, small)) {
			device := fixture.Devices(fmt.Sprintf("part-%02d", i)).Devices[0]
			device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "card", Counters: counter(amount)}}
			inventory.Devices = append(inventory.Devices, device)
		}
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		pods.CreateWithRequests(ctx, e, "too-many", []devices.Request{{Name: "parts", Device: sim.Device(""), Count: count + 1}})
		pods.WaitForUnschedulable(ctx, e, "too-many", "the counter does not suffice for any nine of the devices")
		pods.CreateWithRequests(ctx, e, "small", []devices.Request{{Name: "parts", Device: sim.Device(""), Count: count}})
		pods.WaitForScheduled(ctx, e, "small")
	},
}
