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

// failedPrepareIsUnprepared creates two pods and deletes them before they have started. The
// driver has prepared the claim of one of them, but all of its responses were lost. It has
// reported that it failed to prepare the other one.
var failedPrepareIsUnprepared = suite.Spec{
	ID:           "failed-prepare-is-unprepared",
	Description:  "When a pod is deleted whose claim the driver has failed to prepare, or whose response was lost, the kubelet has the driver unprepare the claim: the driver may have prepared it, or a part of it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-failed-prepare-is-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.failToPrepareClaim(ctx, e, "lost", operations.Lose)
		device.failToPrepareClaim(ctx, e, "failed", operations.FailClaims)
		for _, claim := range []string{"lost", "failed"} {
			pod := device.start(ctx, e, claim)
			drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Prepare, claim)
			pods.ExpectNotStarted(ctx, e, pod, "")
			pods.DeleteWithClaim(ctx, e, claim, pod)
			drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Unprepare, claim)
			drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, claim)
		}
	},
}
