// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// podResourcesGetDevices runs the pod of podResourcesListDevices, and calls Get of the
// kubelet's PodResources API.
var podResourcesGetDevices = suite.Spec{
	ID:           "pod-resources-get-devices",
	Description:  "The kubelet's PodResources API returns the devices of a claim for a pod, with the CDI devices of the driver, for the container that uses the claim and for no other one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Since:        "1.36",
	Requirements: []string{"3695-get-is-like-list"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, claim, answers := device.runWithIdleContainer(ctx, e)
		nodeagent.WaitForPodResourcesByGet(ctx, e, device.plugin, "pod", user, claim, answers)
	},
}
