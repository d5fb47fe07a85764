// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityLockOfOnePool publishes a device with the same name on two nodes, and one of another
// driver whose pool has the same name, too. Claims with different values lock the devices, and
// further claims request each of them with the value of the other.
var affinityLockOfOnePool = suite.Spec{
	ID:          "affinity-lock-of-one-pool",
	Description: "A lock of a device does not lock the device with the same name in the pool of another node or of another driver.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-lock-of-one-pool",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.SharedDevices([]string{subnet}, "nic"))
		}
		start := func(name string, node int, value string) {
			pods.CreateWithClaimOnNode(ctx, e, name, sim.Names[node], newClaim(fixture.RequestFor(sim, "nic"), inSubnet(value)))
		}

		start("locks", 0, "a")
		pods.WaitForScheduled(ctx, e, "locks")
		start("elsewhere", 1, "b")
		pods.WaitForScheduled(ctx, e, "elsewhere")
		other := sim.AddDriver(ctx)
		other.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic"))
		pods.CreateWithClaimOnNode(ctx, e, "of-other-driver", sim.Names[0], newClaim(fixture.RequestFor(other, "nic"), inSubnet("b")))
		pods.WaitForScheduled(ctx, e, "of-other-driver")
		start("other", 0, "b")
		start("other-elsewhere", 1, "a")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"other":           "the device of the first node is locked to another value",
			"other-elsewhere": "the device of the second node is locked to another value",
		})
	},
}
