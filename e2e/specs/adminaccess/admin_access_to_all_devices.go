// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessToAllDevices creates a pod with one of the devices of two pools, some of which
// have the same names, and then one with admin access to all devices.
var adminAccessToAllDevices = suite.Spec{
	ID:           "admin-access-to-all-devices",
	Description:  "A request for admin access with allocationMode All is allocated all devices, also those that other claims have, and those of the same name in several pools.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        allDevicesNeeds,
	Requirements: []string{"5018-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2"))
		sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-more", Node: sim.Names[0]}, fixture.Devices("card-0", "card-1"))
		createUsers(ctx, e, sim, "card-1")
		claim := withAdminAccess(fixture.AnyDevice(sim))
		claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaim(ctx, e, "monitor", claim)
		expect.ScheduledFor(ctx, e, "monitor", "it requests admin access to all devices", "device", "device", "device", "device", "device")
	},
}
