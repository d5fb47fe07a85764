// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharesCompeteForCounters creates pods that need a partition or a share of another one, of a
// device that has room for one of them only, and then the devices: one for each pair of pods.
// The last pods wait for the counters that the others have.
var sharesCompeteForCounters = suite.Spec{
	ID:           "shares-compete-for-counters",
	Description:  "Of pods that can be scheduled at the same moment, no two are allocated partitions that exceed the counters of their device, also if one of these is shared and has no capacity.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.Partitions}, sharedDeviceFeatures...),
	Component:    env.Scheduler,
	Since:        "1.36", // 1.34 does not count the counters of allocated shares.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-counters-once"},
	Body: func(ctx context.Context, e *env.Env) {
		const parents = 6
		sim := simulated.CreateNodes(ctx, e, parents)
		var names []string
		for i, node := range sim.Names {
			open, partition := fmt.Sprintf("open-%d", i), fmt.Sprintf("partition-%d", i)
			names = append(names, open, partition)
			pods.CreateWithClaimOnNode(ctx, e, open, node, devices.NewDeviceClaim(fixture.RequestFor(sim, "open")))
			pods.CreateWithClaimOnNode(ctx, e, partition, node, devices.NewDeviceClaim(fixture.RequestFor(sim, "half")))
		}
		pods.WaitForAllUnschedulable(ctx, e, "there are no devices", names...)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, addOpenPartition(fixture.Load(data, "shared_partition.yaml")))
		}
		_, pending := pods.WaitForScheduledCount(ctx, e, parents)
		pods.WaitForAllUnschedulable(ctx, e, "another pod has the counters of the only device of its node", pending...)
	},
}
