// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// podResourcesAfterKubeletRestart runs the pod of podResourcesListDevices, kills the kubelet,
// and calls List of the PodResources API of the next one. That kubelet does not have the driver
// prepare the claim of a running pod again: it has nothing but its memory to know its devices.
var podResourcesAfterKubeletRestart = suite.Spec{
	ID:           "pod-resources-after-kubelet-restart",
	Description:  "After a kubelet was killed, the PodResources API of the next one lists the devices of a claim for the container that uses the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsNodes}, agentNeeds...),
	Since:        "1.36",
	Requirements: []string{"3695-devices-are-listed", "3695-cdi-devices-are-listed"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, claim, answers := device.runWithIdleContainer(ctx, e)
		components.RestartKubelet(ctx, e, device.plugin.Node)
		nodeagent.WaitForPodResources(ctx, e, device.plugin, "pod", user, claim, answers)
	},
}
