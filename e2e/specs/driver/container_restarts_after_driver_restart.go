// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
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
		pod := pods.CreateSharingClaim(ctx, e, "pod", device.Device, 1, pods.Options{Node: device.node, Restarts: true, Change: func(pod *corev1.PodSpec) {
			pod.Containers[0] = pods.CompletingContainer(pods.MainContainer, pod.Containers[0])
		}})[0]
		pods.WaitForContainerRestarted(ctx, e, pod, 1)
		drivers.Restart(ctx, e, device.Driver, device.node)
		again := pods.GetRestartCount(ctx, e, pod) + 1
		pods.ExpectContainerDevices(ctx, e, pod, pods.MainContainer, pods.WaitForContainerRestarted(ctx, e, pod, again))
	},
}
