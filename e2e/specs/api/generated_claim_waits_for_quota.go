// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimWaitsForQuota creates a quota that allows no devices of a DeviceClass, and a
// pod with a claim from a template for one of them. A while later it deletes the quota.
var generatedClaimWaitsForQuota = suite.Spec{
	ID:           "generated-claim-waits-for-quota",
	Description:  "A pod whose claim cannot be created from its template because of a quota waits, and gets its claim, and is scheduled, when the quota does not forbid it any more.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-claim-is-tried-again"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createTemplate(ctx, e, "cards", fixture.One(fixture.SubRequestFor(sim, "card").Device))
		fixture.CreateQuotaOfClasses(ctx, e, map[string]int64{sim.Class: 0})
		createPodFrom(ctx, e, "pod", map[string]string{"entry": "cards"})
		pods.ExpectNotBound(ctx, e, "pod", "the quota allows no claim for its device")
		fixture.DeleteQuota(ctx, e)
		waitForGeneratedClaims(ctx, e, "pod", "entry")
		pods.WaitForScheduled(ctx, e, "pod")
	},
}
