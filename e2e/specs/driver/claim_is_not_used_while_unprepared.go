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

// claimIsNotUsedWhileUnprepared lets the driver's calls to unprepare hang and deletes a pod.
// Another pod of the node uses its claim then. When the calls return, the driver has
// unprepared the claim, so that it must be prepared again for this pod.
var claimIsNotUsedWhileUnprepared = suite.Spec{
	ID:          "claim-is-not-used-while-unprepared",
	Description: "A pod whose claim is being unprepared is not started before the claim is unprepared and prepared again.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    exclusiveFeatures,
	Component:   env.Kubelet,
	Kinds:       exclusiveKinds,
	MinNodes:    1,
	OneNode:     true,
	// Kubelets up to 1.36 start such a pod, whose claim is not prepared any more then.
	Since:        "1.37",
	Needs:        faultNeeds,
	Requirements: []string{"4381-not-used-while-unprepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, first)
		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{Method: operations.Unprepare, Action: operations.Hang, Count: 100})
		pods.DeleteWithoutWaiting(ctx, e, first)
		drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Unprepare, "claim")

		pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: device.node}, "claim")
		pods.ExpectNotStarted(ctx, e, "second", "claim")
		drivers.RemoveFaults(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, "second")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "claim")
		pods.DeleteWithClaim(ctx, e, "claim", "second")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "claim")
	},
}
