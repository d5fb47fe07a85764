// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimsOfAPodShareANode publishes one device on the first node and two on the
// second. A pod has two claims for a device, and another has three.
var claimsOfAPodShareANode = suite.Spec{
	ID:           "claims-of-a-pod-share-a-node",
	Description:  "A pod with several claims is scheduled to a node that has devices for all of them. If there is none, none of the claims is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-claims-of-a-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("card", "disk"))
		device := devices.NewDeviceClaim(fixture.AnyDevice(sim))

		pods.CreateWithClaims(ctx, e, "three", device, device, device)
		pods.WaitForUnschedulable(ctx, e, "three", "no node has three devices")
		pods.CreateWithClaims(ctx, e, "two", device, device)
		pods.WaitForScheduled(ctx, e, "two")
		gomega.Expect(pods.GetNode(ctx, e, "two")).To(gomega.Equal(sim.Names[1]), "only this node has two devices")
	},
}
