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

// affinityUnknownUntilAllAreReleased allocates a device without keys to a
// claim with a value and to one without. Then the device declares a key, and
// first the claim without a value is deleted, then the other one.
var affinityUnknownUntilAllAreReleased = suite.Spec{
	ID:           "affinity-unknown-until-all-are-released",
	Description:  "After the claim without values is deallocated, the device fits no claim until the remaining claims are deallocated too.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     affinityFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5981-unknown-until-all-released"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "nic"))
		for name, config := range map[string][]entry{"silent": nil, "stating": {inSubnet("a")}} {
			pods.CreateWithClaim(ctx, e, name, newClaim(fixture.RequestFor(sim, "nic"), config...))
			pods.WaitForScheduled(ctx, e, name)
		}
		republish(ctx, e, sim, fixture.SharedDevices([]string{subnet}, "nic"))

		pods.CreateWithClaim(ctx, e, "same", newClaim(fixture.RequestFor(sim, "nic"), inSubnet("a")))
		pods.WaitForUnschedulable(ctx, e, "same", "a claim on the device states nothing")

		pods.DeleteWithClaim(ctx, e, "silent")
		pods.CreateWithClaim(ctx, e, "late", newClaim(fixture.RequestFor(sim, "nic"), inSubnet("a")))
		pods.WaitForAllUnschedulable(ctx, e, "the device was unknown, and a claim that was on it then has not been released", "same", "late")

		pods.DeleteWithClaim(ctx, e, "stating")
		pods.WaitForScheduled(ctx, e, "same", "late")
	},
}
