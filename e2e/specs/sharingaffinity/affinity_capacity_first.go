// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityCapacityFirst creates claims with the same value until the capacity
// of a device is used up, and one more. Then a claim is deleted, and another
// device is published.
var affinityCapacityFirst = suite.Spec{
	ID:          "affinity-capacity-first",
	Description: "A device without enough remaining capacity does not fit a claim, even if it is locked to the claim's values.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-capacity-first",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "full"))
		for i := range fixture.Slots {
			name := fmt.Sprintf("user-%d", i)
			pods.CreateWithClaim(ctx, e, name, newClaim(fixture.AnyDevice(sim), inSubnet("a")))
			pods.WaitForScheduled(ctx, e, name)
		}
		pods.CreateWithClaim(ctx, e, "more", newClaim(fixture.RequestFor(sim, "full"), inSubnet("a")))
		pods.WaitForUnschedulable(ctx, e, "more", "all slots of the device are taken")
		pods.DeleteWithClaim(ctx, e, "user-0")
		pods.WaitForScheduled(ctx, e, "more")

		sim.CreatePool(ctx, simulated.Pool{Name: "more", Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "clean"))
		pods.CreateWithClaim(ctx, e, "last", newClaim(fixture.AnyDevice(sim), inSubnet("a")))
		expectDevice(ctx, e, "clean", "last", "all slots of the one with the same value are taken")
	},
}
