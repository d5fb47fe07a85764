// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// lostPrepareIsUnpreparedByNextKubelet removes a pod that has not started and its claim while the
// kubelet does not run. The driver has prepared the claim, but all of its responses were lost, so
// that the kubelet must have stored the claim before it called the driver.
var lostPrepareIsUnpreparedByNextKubelet = suite.Spec{
	ID:           "lost-prepare-is-unprepared-by-next-kubelet",
	Description:  "When a pod and its claim are removed while the kubelet of their node does not run, and the driver had prepared the claim, but its responses were lost, the next kubelet has the driver unprepare the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append(slices.Clone(faultNeeds), env.NeedsNodes),
	Requirements: []string{"4381-kubelet-remembers-prepared-claims", "4381-failed-prepare-is-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		device.failToPrepareClaim(ctx, e, "lost", operations.Lose)
		pod := device.start(ctx, e, "lost")
		drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Prepare, "lost")
		device.expectUnpreparedByNextKubelet(ctx, e, pod, "lost")
	},
}
