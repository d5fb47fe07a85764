// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podMayNeedNoGeneratedClaim creates a pod for a template that does not exist. While a
// scheduling gate holds it back, its status gets an entry without the name of a claim, as from
// a controller that has found that none is needed.
var podMayNeedNoGeneratedClaim = suite.Spec{
	ID:           "pod-may-need-no-generated-claim",
	Description:  "A pod is scheduled without a generated claim if its status states that it needs none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unneeded-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createGatedFromTemplate(ctx, e, "pod", "absent")
		pods.SetGeneratedClaimUnneeded(ctx, e, "pod")
		pods.RemoveSchedulingGates(ctx, e, "pod")
		pods.WaitForScheduled(ctx, e, "pod")
	},
}
