// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// affinityLockLastsUntilLastRelease locks a device with two claims, and
// requests it with another value. One claim is deleted with its pod, and of
// the other one only the pod.
var affinityLockLastsUntilLastRelease = suite.Spec{
	ID:          "affinity-lock-lasts-until-last-release",
	Description: "A device stays locked while one of its claims is allocated, and accepts any values after the last one is deallocated.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-other-claims-keep-the-lock",
		"5981-last-release-unlocks",
		"5981-clean-takes-any",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic"))
		for _, name := range []string{"first", "second"} {
			pods.CreateWithClaim(ctx, e, name, newClaim(fixture.AnyDevice(sim), inSubnet("a")))
			pods.WaitForScheduled(ctx, e, name)
		}
		pods.CreateWithClaim(ctx, e, "other", newClaim(fixture.AnyDevice(sim), inSubnet("b")))
		pods.WaitForUnschedulable(ctx, e, "other", "the device is locked by two claims")
		pods.DeleteWithClaim(ctx, e, "first")
		pods.WaitForUnschedulable(ctx, e, "other", "the device is locked by the claim that is left")
		// The pod ends. Its claim still exists, but is deallocated.
		pods.Delete(ctx, e, "second")
		claims.WaitForDeallocated(ctx, e, "second")
		pods.WaitForScheduled(ctx, e, "other")

		pods.CreateWithClaim(ctx, e, "third", newClaim(fixture.AnyDevice(sim), inSubnet("a")))
		pods.WaitForUnschedulable(ctx, e, "third", "the device is locked to the values of the claim that came after")
	},
}
