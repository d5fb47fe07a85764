// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// releaseWaitsForUnprepare lets the driver's calls to unprepare hang and
// deletes a pod. A second pod requests the whole device of the first pod's
// device, and waits until the calls return.
var releaseWaitsForUnprepare = suite.Spec{
	ID:           "release-waits-for-unprepare",
	Description:  "The devices of a deleted pod stay allocated until the driver has unprepared them. No other claim gets them before.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Fields:       []subject.Field{subject.ExclusiveParents},
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		whole := device.whole(ctx, e, pods.WaitForRunning(ctx, e, device.start(ctx, e, "before"))[0])
		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{Method: operations.Unprepare, Action: operations.Hang, Count: 100})
		pods.DeleteWithoutWaiting(ctx, e, "before-0")
		drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Unprepare, "before")

		late := whole.start(ctx, e, "whole")
		pods.WaitForUnschedulable(ctx, e, late, "claim before holds a device that the driver has not unprepared")
		pods.ExpectDeletionBlocked(ctx, e, "before-0", "before", "the driver has not responded yet")
		drivers.RemoveFaults(ctx, e, device.Driver, device.node)
		pods.WaitForRunning(ctx, e, late)
	},
}
