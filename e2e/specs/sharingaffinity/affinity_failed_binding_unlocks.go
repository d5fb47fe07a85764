// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityFailedBindingUnlocks creates a pod whose claim cannot be updated,
// because an admission policy rejects the update. It has a request for a free
// device and one for a locked device. Both devices are then requested with
// another value.
var affinityFailedBindingUnlocks = suite.Spec{
	ID:          "affinity-failed-binding-unlocks",
	Description: "A pod whose binding fails leaves no lock behind, and does not remove locks of other claims.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-failed-binding-unlocks",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "clean", "locked"))
		pods.CreateWithClaim(ctx, e, "locks", newClaim(fixture.RequestFor(sim, "locked"), inSubnet("a")))
		pods.WaitForScheduled(ctx, e, "locks")
		pods.CreateWithFailingBinding(ctx, e, "ghost", newClaim([]devices.Request{withName("first", fixture.RequestFor(sim, "clean")), withName("second", fixture.RequestFor(sim, "locked"))}, inSubnet("a")))

		pods.CreateWithClaim(ctx, e, "takes", newClaim(fixture.RequestFor(sim, "clean"), inSubnet("b")))
		pods.WaitForScheduled(ctx, e, "takes")
		pods.CreateWithClaim(ctx, e, "other", newClaim(fixture.RequestFor(sim, "locked"), inSubnet("b")))
		pods.WaitForUnschedulable(ctx, e, "other", "the device is locked by an earlier claim")
		pods.CreateWithClaim(ctx, e, "joins", newClaim(fixture.RequestFor(sim, "locked"), inSubnet("a")))
		pods.WaitForScheduled(ctx, e, "joins")
	},
}
