// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCapacityIsNoCounter publishes devices with a large capacity that
// consume little of a counter, and one with a small capacity that consumes
// most of it. They are selected by their capacity.
var partitionCapacityIsNoCounter = suite.Spec{
	ID:          "partition-capacity-is-no-counter",
	Description: "The capacity of a device is what selectors see. It does not affect what the device consumes.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-capacity-apart-from-counters",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		loadPools("capacity-and-counters").publish(ctx, sim, sim.Names[0])
		withCapacity := func(capacity string) []devices.Request {
			return fixture.One(sim.Device(fmt.Sprintf(`device.capacity[%q].memory.compareTo(quantity(%q)) == 0`, sim.Driver, capacity)))
		}

		// Each of them publishes the total memory as its capacity, and consumes
		// a quarter of the counter.
		for i := range 2 {
			pods.CreateWithRequests(ctx, e, fmt.Sprintf("large-%d", i), withCapacity("40Gi"))
		}
		pods.WaitForScheduled(ctx, e, "large-0", "large-1")
		// It publishes an eighth of the memory as its capacity, and consumes
		// three quarters of the counter.
		pods.CreateWithRequests(ctx, e, "small", withCapacity("5Gi"))
		pods.WaitForUnschedulable(ctx, e, "small", "it consumes more than is left, whatever its capacity is")
		pods.DeleteWithClaim(ctx, e, "large-0")
		pods.WaitForScheduled(ctx, e, "small")
	},
}
