// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// containerRestartsAfterKubeletRestart runs a container that exits again and again, kills
// the kubelet, and compares what the next container reports with the allocation. The new
// kubelet does not have the driver prepare the claim again for a container of a pod that
// runs: it has nothing but its memory to know the CDI devices.
var containerRestartsAfterKubeletRestart = suite.Spec{
	ID:           "container-restarts-after-kubelet-restart",
	Description:  "A container that is restarted after the kubelet was killed sees its device again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsNodes},
	Requirements: []string{"4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.startRestarting(ctx, e)
		components.RestartKubelet(ctx, e, device.node)
		allocated := pods.WaitForContainerRestarted(ctx, e, pod, pods.GetRestartCount(ctx, e, pod)+1)
		pods.ExpectContainerDevices(ctx, e, pod, pods.MainContainer, allocated)
	},
}
