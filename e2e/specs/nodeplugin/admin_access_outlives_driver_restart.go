// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// adminAccessOutlivesDriverRestart prepares a claim and one with admin access to
// its device, restarts the driver, and unprepares the first one.
var adminAccessOutlivesDriverRestart = suite.Spec{
	ID:           "admin-access-outlives-driver-restart",
	Description:  "A driver that is restarted knows a claim with admin access that it has prepared, as it knows the claim that uses the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: adminCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsDriverRestart}, adminNeeds...),
	Requirements: []string{"5018-prepared-regardless", "4381-driver-found-again"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		visible := filesAreVisible(ctx, e, device.plugin, device.run(ctx, e, "evidence"))
		user := device.hold(ctx, e, "user")
		device.expectOutliveRestart(ctx, e, visible, user, device.holdForAdmin(ctx, e, "monitor", user))
	},
}
