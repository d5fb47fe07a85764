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

// claimOfTwoDriversOutlivesKubeletRestart kills the kubelet of a node while a pod uses a claim
// for a device of each of two drivers, and deletes the pod.
var claimOfTwoDriversOutlivesKubeletRestart = suite.Spec{
	ID:           "claim-of-two-drivers-outlives-kubelet-restart",
	Description:  "A pod whose claim has devices of two drivers was started before its kubelet was killed. It is deleted afterwards, and the new kubelet has both drivers unprepare the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     twoDriverFeatures,
	Component:    env.Kubelet,
	Kinds:        twoDriverKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsNodes, env.NeedsClaimsInUse},
	Requirements: []string{"4381-kubelet-remembers-prepared-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		two := findTwoDrivers(e)
		two.createClaim(ctx, e, "both", two.exclusive, two.shared)
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "both")
		pods.WaitForRunning(ctx, e, "pod")
		node := pods.GetNode(ctx, e, "pod")
		components.RestartKubelet(ctx, e, node)
		// The kubelet handles this pod after it has found those that run.
		pods.CreateUsingClaims(ctx, e, "after", pods.Options{Node: node})
		pods.WaitForRunning(ctx, e, "after")
		pods.DeleteWithClaim(ctx, e, "both", "pod")
		for _, device := range two.devices() {
			drivers.WaitForUnprepared(ctx, e, device.Driver, node, "both")
		}
	},
}
