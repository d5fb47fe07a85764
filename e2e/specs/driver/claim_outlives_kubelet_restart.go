// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimOutlivesKubeletRestart kills the kubelet of a node while a pod uses a
// device, and deletes the pod. No other pod uses the claim, so that the new kubelet
// has nothing but its memory to know that the claim is prepared.
var claimOutlivesKubeletRestart = suite.Spec{
	ID:           "claim-outlives-kubelet-restart",
	Description:  "A pod that was started before its kubelet was killed is deleted afterwards, and the new kubelet has the driver unprepare the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsNodes, env.NeedsClaimsInUse},
	Requirements: []string{"4381-kubelet-remembers-prepared-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "before")
		pods.WaitForRunning(ctx, e, pod)
		components.RestartKubelet(ctx, e, device.node)
		// The kubelet handles this pod after it has found those that run.
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "after"))
		pods.DeleteWithClaim(ctx, e, "before", pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "before")
	},
}
