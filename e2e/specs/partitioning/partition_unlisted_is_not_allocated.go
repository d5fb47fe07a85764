// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionUnlistedIsNotAllocated publishes all counters of a GPU and only one
// of its partitions. Two claims request any device.
var partitionUnlistedIsNotAllocated = suite.Spec{
	ID:          "partition-unlisted-is-not-allocated",
	Description: "A claim is not allocated a partition that no ResourceSlice lists, although there are counters for it.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-listed-devices-only",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := a100s(sim.Names[0], 1)
		inventory.Devices = slices.DeleteFunc(inventory.Devices, func(device resourceapi.Device) bool {
			return *device.Attributes["place"].StringValue != "1g.5gb@0"
		})
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)

		pods.CreateWithRequests(ctx, e, "listed", fixture.AnyDevice(sim))
		pods.WaitForScheduled(ctx, e, "listed")
		pods.CreateWithRequests(ctx, e, "unlisted", fixture.AnyDevice(sim))
		pods.WaitForUnschedulable(ctx, e, "unlisted", "the only listed partition is allocated")
		pods.DeleteWithClaim(ctx, e, "listed")
		pods.WaitForScheduled(ctx, e, "unlisted")
	},
}
