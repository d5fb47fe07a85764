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

// affinityClaimsOfOnePod creates two pods with two claims each for the only
// device. The claims of one pod have different values, those of the other one
// the same value.
var affinityClaimsOfOnePod = suite.Spec{
	ID:          "affinity-claims-of-one-pod",
	Description: "Two claims of one pod share a device if they have the same values, and do not if the values differ.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-claims-of-one-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices([]string{subnet}, "nic"))
		pair := func(pod, first, second string) {
			pods.CreateWithClaims(ctx, e, pod, newClaim(fixture.RequestFor(sim, "nic"), inSubnet(first)), newClaim(fixture.RequestFor(sim, "nic"), inSubnet(second)))
		}

		pair("different", "a", "b")
		pods.WaitForUnschedulable(ctx, e, "different", "its claims state different values for the only device")
		pair("same", "b", "b")
		pods.WaitForScheduled(ctx, e, "same")
	},
}
