// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// reallocatedClaimIsPreparedAnew runs a pod with a claim, deletes the pod, lets another claim
// have its device, and runs a further pod with the first claim on the same node.
var reallocatedClaimIsPreparedAnew = suite.Spec{
	ID:           "reallocated-claim-is-prepared-anew",
	Description:  "A pod whose claim was allocated another device than for an earlier pod of the node sees the new device, and not the former one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Sees:         subject.Identified,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-cdi-devices-reach-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first := device.start(ctx, e, "claim")
		before := pods.WaitForRunning(ctx, e, first)
		pods.Delete(ctx, e, first)
		claims.WaitForDeallocated(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "other"))
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{Node: device.node}, "claim")
		if after := pods.WaitForRunning(ctx, e, "next"); slices.Equal(after, before) {
			e.NotApplicable("needs a claim that is allocated another device than before, and the scheduler chose the same one")
		}
	},
}
