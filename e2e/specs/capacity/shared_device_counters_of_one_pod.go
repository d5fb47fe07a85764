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

// sharedDeviceCountersOfOnePod publishes a shared partition that needs three quarters of
// its parent on two nodes. A pod requests it together with a half, and a third device
// that can be a share of it. One pod requests two shares with one claim, and another one
// with two claims.
var sharedDeviceCountersOfOnePod = suite.Spec{
	ID:           "shared-device-counters-of-one-pod",
	Description:  "The shares of a partition that one pod gets consume the counters of its parent once, and not less, whatever the scheduler tries first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.Partitions}, sharedDeviceFeatures...),
	Component:    env.Scheduler,
	Since:        "1.36", // As the spec of the shares of several pods.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-counters-once"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Load(data, "shared_partition.yaml"))
		}
		named := func(request, device string) devices.Request {
			return devices.Request{Name: request, Device: fixture.RequestFor(sim, device)[0].Device}
		}
		create := func(pod string, node int, requests ...devices.Request) {
			pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[node], devices.NewDeviceClaim(requests))
		}
		either := devices.Request{Name: "either", Device: sim.Device(fmt.Sprintf("device.attributes[%q].name in ['shared', 'quarter']", sim.Driver))}
		create("in-vain", 1, either, named("share", "shared"), named("half", "half"))
		pods.WaitForUnschedulable(ctx, e, "in-vain", "the shared partition and the half need more than their parent has")

		create("two-requests", 0, named("a", "shared"), named("b", "shared"))
		waitForShares(ctx, e, "two-requests")
		create("quarter", 0, named("quarter", "quarter"))
		pods.WaitForScheduled(ctx, e, "quarter")
		// On the first node, the partition has one share left.
		claim := devices.NewDeviceClaim(fixture.RequestFor(sim, "shared"))
		pods.CreateWithClaims(ctx, e, "two-claims", claim, claim)
		pods.WaitForScheduled(ctx, e, "two-claims")
	},
}
