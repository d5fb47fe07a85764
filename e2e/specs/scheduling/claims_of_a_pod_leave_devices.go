// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimsOfAPodLeaveDevices creates two pods, each for a node with two devices. The
// first claim of a pod is for any device, and the second one for one device, so that
// in one of the pods the first claim has to leave the device that would come first.
var claimsOfAPodLeaveDevices = suite.Spec{
	ID:           "claims-of-a-pod-leave-devices",
	Description:  "A claim for any device gets one that another claim of its pod does not need.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-claims-of-a-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card", "disk"))
		}
		for _, device := range []string{"card", "disk"} {
			pods.CreateWithClaims(ctx, e, device, devices.NewDeviceClaim(fixture.AnyDevice(sim)), devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
			pods.WaitForScheduled(ctx, e, device)
		}
	},
}
