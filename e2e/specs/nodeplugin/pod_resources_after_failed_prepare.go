// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podResourcesAfterFailedPrepare creates a pod with two claims, of which the driver omits the
// first one in its responses for a while, and prepares the other one each time. When the pod
// runs, it calls List of the kubelet's PodResources API. What is listed is also what the
// container runtime gets.
var podResourcesAfterFailedPrepare = suite.Spec{
	ID:           "pod-resources-after-failed-prepare",
	Description:  "The kubelet has each device of a claim once, however often the driver was called to prepare the claim until it had prepared all claims of the pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        slices.Concat(agentNeeds, []env.Need{env.NeedsDriverFaults, env.NeedsDriverCalls}),
	Since:        "1.37", // Earlier kubelets add the devices of each response to those that they have.
	Requirements: []string{"3695-devices-are-listed-once"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		for _, claim := range []string{"first", "second"} {
			device.createClaim(ctx, e, claim, devices.Request{Name: "device", Device: device.Device})
		}
		drivers.InjectFault(ctx, e, device.Driver, device.plugin.Node, operations.Fault{
			Method: operations.Prepare, Action: operations.OmitClaims, Count: 1_000_000, Message: "fault of the spec: omitted claim", Claims: []string{"first"},
		})
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: device.plugin.Node}, "first", "second")
		drivers.WaitForCall(ctx, e, device.Driver, device.plugin.Node, operations.Prepare, "first")
		pods.ExpectNotStarted(ctx, e, "pod", "")
		drivers.RemoveFaults(ctx, e, device.Driver, device.plugin.Node)
		pods.WaitForRunning(ctx, e, "pod")
		nodeagent.WaitForEachListedOnce(ctx, e, device.plugin, "pod", 2)
	},
}
