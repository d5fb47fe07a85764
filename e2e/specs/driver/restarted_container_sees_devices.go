// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// restartedContainerSeesDevices creates a pod whose container exits, waits
// until it is restarted, and compares the devices that it reports with the
// allocation.
var restartedContainerSeesDevices = suite.Spec{
	ID:           "restarted-container-sees-devices",
	Description:  "A container that exits and is restarted sees its device again.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-started-again-with-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		pod := pods.CreateSharingClaim(ctx, e, "pod", e.Subject.Exclusive.Device, 1, pods.Options{Restarts: true, Change: func(pod *corev1.PodSpec) {
			pod.Containers[0] = pods.CompletingContainer("workload", pod.Containers[0])
		}})[0]
		pods.ExpectContainerDevices(ctx, e, pod, "workload", pods.WaitForContainerRestarted(ctx, e, pod, 1))
	},
}
