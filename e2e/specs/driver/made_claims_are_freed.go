// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// madeClaimsAreFreed creates two pods with claims from a template for the only
// device. The second pod waits until the first one is deleted.
var madeClaimsAreFreed = suite.Spec{
	ID:           "made-claims-are-freed",
	Description:  "A claim that was created from a template for a pod is deleted with the pod, and its device can be allocated to the next claim.",
	Profile:      profile,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-unused-claims-are-deallocated"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("only"))
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim(fixture.RequestFor(sim, "only")))
		pods.CreateFromClaimTemplate(ctx, e, "first", "template", "")
		pods.WaitForScheduled(ctx, e, "first")
		generated := pods.GetGeneratedClaim(ctx, e, "first")
		pods.CreateFromClaimTemplate(ctx, e, "second", "template", "")
		pods.WaitForUnschedulable(ctx, e, "second", "the claim of pod first has the only device")

		pods.Delete(ctx, e, "first")
		claims.WaitForCollected(ctx, e, generated, "the pod that owns it is deleted")
		pods.WaitForScheduled(ctx, e, "second")
	},
}
