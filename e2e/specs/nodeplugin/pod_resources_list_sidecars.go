// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podResourcesListSidecars runs a pod whose sidecar uses a claim, and whose main container uses
// none. It calls List and Get of the kubelet's PodResources API.
var podResourcesListSidecars = suite.Spec{
	ID:           "pod-resources-list-sidecars",
	Description:  "The kubelet's PodResources API lists and returns the devices of a claim for the sidecar that uses the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Since:        "1.36",
	Requirements: []string{"3695-sidecars-are-listed"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		const sidecar = "sidecar"
		device.createClaim(ctx, e, "claim", devices.Request{Name: "device", Device: device.Device})
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: device.plugin.Node, Change: func(pod *corev1.PodSpec) {
			user := *pod.Containers[0].DeepCopy()
			user.Name, user.RestartPolicy = sidecar, ptr.To(corev1.ContainerRestartPolicyAlways)
			pod.InitContainers = append(pod.InitContainers, user)
			pod.Containers[0].Resources.Claims = nil
		}}, "claim")
		pods.WaitForContainersRunning(ctx, e, "pod")
		claim := nodeagent.GetClaim(ctx, e, "claim")
		device.expectCalls(e, claim)
		answers := nodeagent.WaitForPrepared(ctx, e, device.plugin, claim)
		nodeagent.WaitForPodResources(ctx, e, device.plugin, "pod", sidecar, claim, answers)
		nodeagent.WaitForPodResourcesByGet(ctx, e, device.plugin, "pod", sidecar, claim, answers)
	},
}
