// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityLockedDevicePreferred publishes three devices on each of three
// nodes, and locks the one in the middle of the second node. Further claims
// with the same value request any device, one after the other. Another criterion
// may outweigh the preference for one of the four.
var affinityLockedDevicePreferred = suite.Spec{
	ID:          "affinity-locked-device-preferred",
	Description: "Of otherwise equal devices, on one node or on several, the one is preferred that is locked to the claim's values.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-locked-preferred",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 3)
		for i, node := range sim.Names {
			name := func(which string) string { return fmt.Sprintf("%s-%d", which, i) }
			// The locked device is neither the first nor the last. Schedulers
			// may prefer those for another reason.
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.SharedDevices([]string{subnet}, name("first"), name("middle"), name("last")))
		}
		pods.CreateWithClaim(ctx, e, "locks", newClaim(fixture.RequestFor(sim, "middle-1"), inSubnet("a")))
		expectDevice(ctx, e, "middle-1", "locks", "it asks for that one")

		var preferred []bool
		for i := range 4 {
			name := fmt.Sprintf("joins-%d", i)
			pods.CreateWithClaim(ctx, e, name, newClaim(fixture.AnyDevice(sim), inSubnet("a")))
			got := pods.WaitForScheduled(ctx, e, name)
			preferred = append(preferred, len(got) == 1 && got[0].Device == "middle-1")
			pods.DeleteWithClaim(ctx, e, name)
		}
		expect.Preferred(preferred, "claims that get the device that is locked to their value, although others are clean")
	},
}
