// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// failedUnprepareOutlivesKubeletRestart deletes a pod whose driver fails to unprepare the claim, kills
// the kubelet after it has had this answer, and lets the driver succeed only when the next kubelet runs.
// A kubelet that removes a claim from its checkpoint before the driver has succeeded does not know it any
// more, and lets the pod go.
var failedUnprepareOutlivesKubeletRestart = suite.Spec{
	ID:           "failed-unprepare-outlives-kubelet-restart",
	Description:  "When the driver has failed to unprepare the claim of a deleted pod and the kubelet is killed, the next kubelet has the driver unprepare the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        append([]env.Need{env.NeedsNodes}, faultNeeds...),
	Requirements: []string{"4381-failed-unprepare-outlives-kubelet"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, pod)
		device.failAlways(ctx, e, operations.Unprepare, "claim", operations.FailClaims)
		pods.DeleteWithoutWaiting(ctx, e, pod)
		drivers.WaitForAnswer(ctx, e, device.Driver, device.node, operations.Unprepare, "claim")
		components.RestartKubelet(ctx, e, device.node)
		drivers.RemoveFaults(ctx, e, device.Driver, device.node)
		pods.WaitForDeleted(ctx, e, pod)
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
		device.expectSucceeded(ctx, e, operations.Unprepare, "claim")
	},
}
