// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// createdDuringRestartRuns creates a pod immediately before the driver is
// restarted, and expects that it runs with its device.
var createdDuringRestartRuns = suite.Spec{
	ID:           "created-during-restart-runs",
	Description:  "A pod that is created while the driver restarts runs with its device when the driver is back.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-driver-prepares-after-restart"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "created")
		drivers.RestartDuringChange(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, pod)
	},
}
