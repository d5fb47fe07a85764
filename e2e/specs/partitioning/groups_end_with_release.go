// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// groupsEndWithRelease allocates two devices with one compatibility group in
// common, and requests a third one that has only the other group of the first.
// Then the second device is released.
var groupsEndWithRelease = suite.Spec{
	ID:          "groups-end-with-release",
	Description: "A pod that waits because of the compatibility groups of an allocated device is scheduled when that device is released.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    groupFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5963-until-release",
	},
	Body: func(ctx context.Context, e *env.Env) {
		m := meeting{Name: "gpu", Members: [][]string{{"mig", "any"}, {"vgpu", "any"}}, Candidate: []string{"mig"}}
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventoryOf([]meeting{m}))
		for i := range m.Members {
			pods.CreateWithRequests(ctx, e, m.member(i), fixture.RequestFor(sim, m.member(i)))
		}
		pods.WaitForScheduled(ctx, e, m.member(0), m.member(1))
		pods.CreateWithRequests(ctx, e, m.candidate(), fixture.RequestFor(sim, m.candidate()))
		pods.WaitForUnschedulable(ctx, e, m.candidate(), "its device has no group in common with one of the allocated devices")

		pods.DeleteWithClaim(ctx, e, m.member(1))
		pods.WaitForScheduled(ctx, e, m.candidate())
	},
}
