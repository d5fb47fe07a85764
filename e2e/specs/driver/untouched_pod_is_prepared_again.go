// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// untouchedPodIsPreparedAgain lets the driver fail three calls to prepare, each
// in another way, and creates three pods on one node. Nothing changes the pods:
// only the kubelet can make them run. The driver's calls must show the failures
// and then a success for each claim.
var untouchedPodIsPreparedAgain = suite.Spec{
	ID:           "untouched-pod-is-prepared-again",
	Description:  "When the driver fails to prepare a claim, by an error for the call, an error for the claim, or a response without the claim, the kubelet calls it again by itself, and the pod runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-failed-prepare-is-repeated"},
	Body: func(ctx context.Context, e *env.Env) {
		pods.LeaveToKubelet(e)
		device := findDeviceOnNode(ctx, e)
		device.injectFailures(ctx, e, operations.Prepare)
		var podNames []string
		for _, claim := range failingClaims {
			podNames = append(podNames, device.start(ctx, e, claim))
		}
		for _, pod := range podNames {
			pods.WaitForRunning(ctx, e, pod)
		}
		device.expectRetried(ctx, e, operations.Prepare)
	},
}
