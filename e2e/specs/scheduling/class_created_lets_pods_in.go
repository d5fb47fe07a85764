// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// classCreatedLetsPodsIn creates a pod with a claim for a DeviceClass that does
// not exist, and then the class. Nothing else changes.
var classCreatedLetsPodsIn = suite.Spec{
	ID:           "class-created-lets-pods-in",
	Description:  "A pod whose claim is for a DeviceClass that does not exist is scheduled when the class is created.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-classes-exist-first"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		late := sim.Device("")
		late.Class = claims.DeviceClassName(e, "late")
		pods.CreateWithRequests(ctx, e, "pod", fixture.One(late))
		// A scheduler may report nothing about a pod that it does not try.
		pods.ExpectNotBound(ctx, e, "pod", "the class of its claim does not exist")
		sim.CreateDeviceClass(ctx, "late", "true")
		pods.WaitForScheduled(ctx, e, "pod")
	},
}
