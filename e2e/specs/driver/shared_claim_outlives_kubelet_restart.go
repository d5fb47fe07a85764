// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// sharedClaimOutlivesKubeletRestart kills the kubelet of a node while two pods use a claim, of
// which one has a second claim. It deletes the pods one after the other, that with both claims
// last.
var sharedClaimOutlivesKubeletRestart = suite.Spec{
	ID:          "shared-claim-outlives-kubelet-restart",
	Description: "Two pods of a node share a claim when their kubelet is killed. The claim stays prepared when the first pod ends. When the second one ends, each of its claims is unprepared.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    exclusiveFeatures,
	Component:   env.Kubelet,
	Kinds:       exclusiveKinds,
	Devices:     3,
	MinNodes:    1,
	OneNode:     true,
	// The kubelet's number of claims in use lacks those of before its restart.
	Needs:        []env.Need{env.NeedsNodes, env.NeedsDriverCalls},
	Requirements: []string{"4381-kubelet-remembers-prepared-claims", "4381-kubelet-remembers-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first := device.start(ctx, e, "shared")
		createClaim(ctx, e, "own", devices.Request{Name: "device", Device: device.Device})
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: device.node}, "shared", "own")
		pods.WaitForRunning(ctx, e, first)
		pods.WaitForRunning(ctx, e, "second")
		components.RestartKubelet(ctx, e, device.node)
		// The kubelet handles this pod after it has found those that run.
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "after"))
		container := pods.GetContainer(ctx, e, "second")

		pods.Delete(ctx, e, first)
		pods.ExpectNotRestarted(ctx, e, container, "the end of the other pod with its claim")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "shared")
		pods.DeleteWithClaim(ctx, e, "shared", "second")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "shared")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "own")
	},
}
