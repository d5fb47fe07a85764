// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceClaimBelongsToPod creates a pod that requests two extended
// resources, and reads the claims that the pod owns.
var extendedResourceClaimBelongsToPod = suite.Spec{
	ID:           "extended-resource-claim-belongs-to-pod",
	Description:  "For all extended resources of a pod together, the scheduler creates one claim in its namespace, which the pod owns and which is reserved for it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-one-claim", "5004-owned-by-pod", "5004-reserved-for-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "disk"))
		createPod(ctx, e, "pod", simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "disk"))
		waitForDevices(ctx, e, "pod", "it requests one of each extended resource", "card", "disk")
		expectOneClaim(ctx, e, "pod")
	},
}
