// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessGetsDevicesInUse creates a pod with one of two devices, and then two
// pods with admin access to this device. It deletes one of these and its claim, and
// requests the device.
var adminAccessGetsDevicesInUse = suite.Spec{
	ID:           "admin-access-gets-devices-in-use",
	Description:  "Several claims with admin access are allocated a device at the same time, although an ordinary claim has it. When one of them is deleted, the ordinary claim still has the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        adminNeeds,
	Requirements: []string{"5018-devices-in-use", "5018-several-at-once", "5018-releases-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createUsers(ctx, e, sim, "card")
		createMonitors(ctx, e, sim, "card", "first-monitor", "second-monitor")
		pods.WaitForScheduled(ctx, e, "first-monitor", "second-monitor")
		pods.DeleteWithClaim(ctx, e, "first-monitor")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "card"))
		pods.WaitForUnschedulable(ctx, e, "late", "claim card has the device, to which another claim had only admin access")
	},
}
