// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceEvictsAllUsers taints a device that claims of two namespaces share. A pod has
// a share of another device.
var sharedDeviceEvictsAllUsers = suite.Spec{
	ID:           "shared-device-evicts-all-users",
	Description:  "When a device that claims of several namespaces share gets a taint of the effect NoExecute, the pods of all of these claims are evicted.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices, features.DeviceTaints},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Requirements: []string{"5055-all-shares-are-evicted"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "card", "disk"))
		other := namespaces.CreateOther(ctx, e)
		for _, pod := range []string{"one", "two"} {
			pods.CreateWithRequests(ctx, e, pod, fixture.RequestFor(sim, "card"))
		}
		pods.CreateWithRequests(ctx, other, "three", fixture.RequestFor(sim, "card"))
		pods.CreateWithRequests(ctx, e, "disk", fixture.RequestFor(sim, "disk"))
		pods.WaitForScheduled(ctx, e, "one", "two", "disk")
		pods.WaitForScheduled(ctx, other, "three")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {fixture.NoExecute}})
		const because = "their shared device has a taint of the effect NoExecute"
		pods.WaitForDisrupted(ctx, e, because, "one", "two")
		pods.WaitForDisrupted(ctx, other, because, "three")
		pods.ExpectNotEvicted(ctx, e, "its shared device has no taint", "disk")
	},
}
