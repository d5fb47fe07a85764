// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceServesNamespaces requests the four shares of a device from two
// namespaces in turn, and one more. Then a claim of the other namespace is
// deleted. The same is done with a device that is not shared.
var sharedDeviceServesNamespaces = suite.Spec{
	ID:           "shared-device-serves-namespaces",
	Description:  "Claims of different namespaces share a device, and capacity that one namespace consumes, or a device that it has alone, is unavailable for the other.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Requirements: []string{"5075-several-namespaces"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "device"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0], Name: sim.Names[0] + "-alone"}, fixture.Devices("alone"))
		shared := fixture.One(sim.Device("device.allowMultipleAllocations"))
		other := namespaces.CreateOther(ctx, e)
		for _, pod := range []string{"one", "two"} {
			pods.CreateWithRequests(ctx, e, pod, shared)
			pods.WaitForScheduled(ctx, e, pod)
			pods.CreateWithRequests(ctx, other, pod, shared)
			pods.WaitForScheduled(ctx, other, pod)
		}
		// The device has four slots.
		pods.CreateWithRequests(ctx, e, "three", shared)
		pods.WaitForUnschedulable(ctx, e, "three", "the claims of both namespaces have all slots of the device")
		pods.DeleteWithClaim(ctx, other, "one")
		pods.WaitForScheduled(ctx, e, "three")
		pods.CreateWithRequests(ctx, other, "alone", fixture.RequestFor(sim, "alone"))
		pods.WaitForScheduled(ctx, other, "alone")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "alone"))
		pods.WaitForUnschedulable(ctx, e, "late", "a claim of the other namespace has the device")
		pods.DeleteWithClaim(ctx, other, "alone")
		pods.WaitForScheduled(ctx, e, "late")
	},
}
