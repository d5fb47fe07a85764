// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessHoldsNothingAfterRestart creates a pod with admin access to one device
// and a pod with another device. It restarts the scheduler, and requests each of
// the devices.
var adminAccessHoldsNothingAfterRestart = suite.Spec{
	ID:           "admin-access-holds-nothing-after-restart",
	Description:  "After a restart, the scheduler still treats a device to which a claim has admin access as free, and devices of other claims as allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Scheduler,
	Needs:        append([]env.Need{env.NeedsScheduler}, adminNeeds...),
	Requirements: []string{"5018-holds-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createMonitors(ctx, e, sim, "card", "monitor")
		pods.WaitForScheduled(ctx, e, "monitor")
		createUsers(ctx, e, sim, "disk")

		components.RestartScheduler(ctx, e)
		createUsers(ctx, e, sim, "card")
		pods.CreateWithRequests(ctx, e, "late", fixture.RequestFor(sim, "disk"))
		pods.WaitForUnschedulable(ctx, e, "late", "its device is allocated to claim disk")
	},
}
