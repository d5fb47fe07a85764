// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// initContainersSeeDevices creates a pod with two init containers, a
// sidecar and a container, and compares the devices that they report with the allocation.
// One of the init containers does not reference the claim.
var initContainersSeeDevices = suite.Spec{
	ID:           "init-containers-see-devices",
	Description:  "Init containers, sidecars and containers of a pod see the device of a claim that they reference. Containers that do not reference it see none.",
	Profile:      profile,
	Level:        suite.Core,
	Smoke:        true,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: containerCapabilities,
	Sees:         subject.Present,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-other-containers-get-nothing"},
	Body: func(ctx context.Context, e *env.Env) {
		pod := pods.CreateSharingClaim(ctx, e, "pod", e.Subject.Exclusive.Device, 1, pods.Options{Change: func(pod *corev1.PodSpec) {
			user := pods.CompletingContainer("init-user", pod.Containers[0])
			bystander := pods.CompletingContainer("init-bystander", pod.Containers[0])
			bystander.Resources.Claims = nil
			sidecar := *pod.Containers[0].DeepCopy()
			sidecar.Name, sidecar.RestartPolicy = "sidecar", ptr.To(corev1.ContainerRestartPolicyAlways)
			pod.InitContainers = []corev1.Container{bystander, sidecar, user}
		}})[0]
		devices := pods.WaitForRunning(ctx, e, pod)
		pods.ExpectContainerDevices(ctx, e, pod, "init-user", devices)
		pods.ExpectContainerDevices(ctx, e, pod, "sidecar", devices)
		pods.ExpectContainerDevices(ctx, e, pod, "init-bystander", nil)
	},
}
