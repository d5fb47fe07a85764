// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

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

// adminAccessIsEvicted taints a device that a pod has, and to which another pod has admin
// access.
var adminAccessIsEvicted = suite.Spec{
	ID:           "admin-access-is-evicted",
	Description:  "Pods with admin access to a device are evicted like its user when the device gets a taint of the effect NoExecute.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.DeviceTaints}, adminFeatures...),
	Component:    env.ControllerManager,
	Needs:        adminNeeds,
	Requirements: []string{"5055-admin-access-is-evicted"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createUsers(ctx, e, sim, "card")
		createMonitors(ctx, e, sim, "card", "monitor")
		createMonitors(ctx, e, sim, "disk", "other")
		pods.WaitForScheduled(ctx, e, "monitor", "other")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {fixture.NoExecute}})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", "card")
		pods.WaitForDisrupted(ctx, e, "it has admin access to a device with a taint of the effect NoExecute", "monitor")
		pods.ExpectNotEvicted(ctx, e, "it has admin access to a device without taints", "other")
	},
}
