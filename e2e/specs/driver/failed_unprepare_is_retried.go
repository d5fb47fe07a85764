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

// failedUnprepareIsRetried lets the driver fail three calls to unprepare, each
// in another way, while three pods of one node are deleted. One of the pods has two
// claims, and the driver fails for the second one. Nothing changes the pods afterwards:
// only the kubelet can make the driver unprepare the claims. The driver's calls must show
// the failures and then a success for each claim.
var failedUnprepareIsRetried = suite.Spec{
	ID:           "failed-unprepare-is-retried",
	Description:  "When the driver fails to unprepare a claim, by an error for the call, an error for the claim, or a response without the claim, the deleted pod stays until the kubelet has retried by itself and the driver has succeeded.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Devices:      4,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-failed-unprepare-is-repeated"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		podNames := []string{device.start(ctx, e, failingClaims[0]), device.start(ctx, e, failingClaims[1]), "several"}
		device.startWithClaims(ctx, e, "several", "more", failingClaims[2])
		for _, pod := range podNames {
			pods.WaitForRunning(ctx, e, pod)
		}
		all := failures(operations.Unprepare)
		all[1].Claims = failingClaims[2:]
		for _, i := range []int{1, 0, 2} {
			drivers.InjectFault(ctx, e, device.Driver, device.node, all[i])
		}
		pods.LeaveToKubelet(e)
		pods.Delete(ctx, e, podNames...)
		device.expectRetried(ctx, e, operations.Unprepare)
		for _, claim := range failingClaims {
			drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, claim)
		}
	},
}
