// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessLeavesAllDevices creates a pod with admin access to one of three
// devices, and then one that requests all devices for itself.
var adminAccessLeavesAllDevices = suite.Spec{
	ID:           "admin-access-leaves-all-devices",
	Description:  "A device to which a claim has admin access is free: a request with allocationMode All is allocated this device too.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        allDevicesNeeds,
	Requirements: []string{"5018-holds-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2"))
		createMonitors(ctx, e, sim, "card-1", "monitor")
		pods.WaitForScheduled(ctx, e, "monitor")
		claim := devices.NewDeviceClaim(fixture.AnyDevice(sim))
		claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaim(ctx, e, "all", claim)
		expect.ScheduledFor(ctx, e, "all", "it requests all devices, and another claim has only admin access to one", "device", "device", "device")
	},
}
