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

// affinityUnknownUntilDrained allocates a device without keys to a claim with
// a value and to one without. Then the device declares a key, further claims
// request it, and the first two claims are deleted one after the other.
var affinityUnknownUntilDrained = suite.Spec{
	ID:          "affinity-unknown-until-drained",
	Description: "A device in use that starts to declare a key keeps its pods, fits no other claim while one of its claims has no value, and locks like any other device after that.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-affinity-added-in-use",
		"5981-legacy-pods-stay",
		"5981-unknown-keeps-out",
		"5981-nothing-inferred",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "nic"))
		legacy := map[string][]entry{"silent": nil, "stating": {inSubnet("a")}}
		for name, config := range legacy {
			pods.CreateWithClaim(ctx, e, name, newClaim(fixture.RequestFor(sim, "nic"), config...))
			pods.WaitForScheduled(ctx, e, name)
		}
		republish(ctx, e, sim, fixture.SharedDevices([]string{subnet}, "nic"))

		pods.CreateWithClaim(ctx, e, "same", newClaim(fixture.RequestFor(sim, "nic"), inSubnet("a")))
		pods.CreateWithClaim(ctx, e, "none", newClaim(fixture.RequestFor(sim, "nic")))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{"same": "a claim on the device states nothing", "none": "it states nothing"})
		for name := range legacy {
			pods.WaitForScheduled(ctx, e, name)
		}
		pods.DeleteWithClaim(ctx, e, "stating")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{"same": "the claim that is left on the device states nothing", "none": "it states nothing"})

		pods.DeleteWithClaim(ctx, e, "silent")
		pods.WaitForScheduled(ctx, e, "same")
		pods.CreateWithClaim(ctx, e, "other", newClaim(fixture.RequestFor(sim, "nic"), inSubnet("b")))
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{"other": "the device is locked to the first value that came after", "none": "it states nothing"})
	},
}
