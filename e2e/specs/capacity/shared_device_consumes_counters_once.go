// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceConsumesCountersOnce allocates three shares of a partition that
// needs three quarters of its parent. The last quarter is requested, and a
// half is requested while a single share is left. Then this share is deleted, and the
// same is tried with a partition without capacity, whose shares consume nothing else.
var sharedDeviceConsumesCountersOnce = suite.Spec{
	ID:          "shared-device-consumes-counters-once",
	Description: "A partition that claims share consumes the counters of its parent with the first share, nothing more with further shares, and releases them with the last one.",
	Profile:     profile,
	Features:    append([]features.Feature{features.Partitions}, sharedDeviceFeatures...),
	Component:   env.Scheduler,
	Since:       "1.36", // 1.34 does not count the counters of allocated shares.
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-counters-once",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, addOpenPartition(fixture.Load(data, "shared_partition.yaml")))
		users := []string{"a", "b", "c"}
		for _, user := range users {
			pods.CreateWithRequests(ctx, e, user, fixture.RequestFor(sim, "shared"))
			waitForShares(ctx, e, user)
		}
		pods.CreateWithRequests(ctx, e, "quarter", fixture.RequestFor(sim, "quarter"))
		pods.WaitForScheduled(ctx, e, "quarter")
		pods.DeleteWithClaim(ctx, e, "quarter")

		for _, user := range users[1:] {
			pods.DeleteWithClaim(ctx, e, user)
		}
		pods.CreateWithRequests(ctx, e, "half", fixture.RequestFor(sim, "half"))
		pods.WaitForUnschedulable(ctx, e, "half", "claim a still has a share of a partition with 3Gi of 4Gi")
		pods.DeleteWithClaim(ctx, e, "a")
		pods.WaitForScheduled(ctx, e, "half")
		pods.DeleteWithClaim(ctx, e, "half")

		// A second share would be refused in 1.36, which charges it to the counters.
		pods.CreateWithRequests(ctx, e, "open", fixture.RequestFor(sim, "open"))
		waitForShares(ctx, e, "open")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "half"))
		pods.WaitForUnschedulable(ctx, e, "late", "claim open has a share of a partition with 3Gi of 4Gi")
		pods.DeleteWithClaim(ctx, e, "open")
		pods.WaitForScheduled(ctx, e, "late")
	},
}

// addOpenPartition adds a device that consumes the same counters as the shared one and
// has no capacity.
func addOpenPartition(inventory *simulated.Inventory) *simulated.Inventory {
	device := fixture.Devices("open").Devices[0]
	for _, other := range inventory.Devices {
		if other.Name == "shared" {
			device.AllowMultipleAllocations, device.ConsumesCounters = other.AllowMultipleAllocations, other.ConsumesCounters
		}
	}
	inventory.Devices = append(inventory.Devices, device)
	return inventory
}
