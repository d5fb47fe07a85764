// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// containerRestartsAfterDriverRestart runs a container that exits again and
// again, restarts the driver, and compares what the next container reports with
// the allocation. The container runtime reads CDI specs for each container.
var containerRestartsAfterDriverRestart = suite.Spec{
	ID:           "container-restarts-after-driver-restart",
	Description:  "A container that is restarted after the driver was restarted sees its device again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverRestart},
	Requirements: []string{"4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.startRestarting(ctx, e)
		allocated := device.restartDriverAndContainer(ctx, e, pod)
		pods.ExpectContainerDevices(ctx, e, pod, pods.MainContainer, allocated)
	},
}
