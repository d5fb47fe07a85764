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

// failedClaimOfSeveralIsNoticed creates two pods with two claims each. The driver omits the
// first claim of one pod and fails to prepare the second claim of the other one, until both
// pods have waited for a while.
var failedClaimOfSeveralIsNoticed = suite.Spec{
	ID:           "failed-claim-of-several-is-noticed",
	Description:  "When the driver fails to prepare one of two claims of a pod, by an error for the claim or a response without the claim, the pod is not started, although the driver has prepared the other one. It runs when both are prepared.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Devices:      4,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-failed-prepare-is-noticed"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		podNames := []string{"first", "second"}
		for i, action := range []operations.Action{operations.OmitClaims, operations.FailClaims} {
			pod, names := podNames[i], []string{podNames[i] + "-0", podNames[i] + "-1"}
			device.failToPrepareClaim(ctx, e, names[i], action)
			device.startWithClaims(ctx, e, pod, names...)
			drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Prepare, names[i])
			pods.ExpectNotStarted(ctx, e, pod, "")
		}
		drivers.RemoveFaults(ctx, e, device.Driver, device.node)
		for _, pod := range podNames {
			pods.TriggerKubeletSync(ctx, e, pod)
			pods.WaitForRunning(ctx, e, pod)
		}
	},
}
