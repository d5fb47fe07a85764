// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// failedPrepareIsRetried lets the driver fail three calls to prepare, each in
// another way, for three pods on one node. It changes the pods to make the
// kubelet try again soon, because it is about what the kubelet makes of a
// failure, and not about when it tries again. The driver's calls must show the
// failures and then a success for each claim.
var failedPrepareIsRetried = suite.Spec{
	ID:           "failed-prepare-is-retried",
	Description:  "When the driver fails to prepare a claim, by an error for the call, an error for the claim, or a response without the claim, the pod is not started. When the pod changes, the kubelet calls the driver again, and the pod runs.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-failed-prepare-is-noticed"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.injectFailures(ctx, e, operations.Prepare)
		var podNames []string
		for _, claim := range failingClaims {
			podNames = append(podNames, device.start(ctx, e, claim))
		}
		for i, claim := range failingClaims {
			drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Prepare, claim)
			pods.TriggerKubeletSync(ctx, e, podNames[i])
		}
		for _, pod := range podNames {
			pods.WaitForRunning(ctx, e, pod)
		}
		device.expectRetried(ctx, e, operations.Prepare)
	},
}
