package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/fakedriver/calls"
)

// releaseWaitsForUnprepare lets the driver's calls to unprepare hang and
// deletes a pod. A second pod requests the whole device of the first pod's
// device, and waits until the calls return.
var releaseWaitsForUnprepare = suite.Spec{
	ID:           "release-waits-for-unprepare",
	Description:  "The devices of a deleted pod stay allocated until the driver has unprepared them. No other claim gets them before.",
	Profile:      profile,
	Features:     contractFeatures,
	Component:    env.Kubelet,
	Kinds:        contractKinds,
	MinNodes:     1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *env.Env) {
		use := useOnNode(ctx, e)
		whole := use.whole(ctx, e, pods.WaitForRunning(ctx, e, use.start(ctx, e, "before"))[0])
		drivers.InjectFault(ctx, e, use.device.Driver, use.node, calls.Fault{Method: calls.Unprepare, Action: calls.Hang, Count: 100})
		pods.DeleteWithoutWaiting(ctx, e, "before-0")
		drivers.WaitForCall(ctx, e, use.device.Driver, use.node, calls.Unprepare, "before")

		late := whole.start(ctx, e, "whole")
		pods.WaitForUnschedulable(ctx, e, late, "claim before holds a device that the driver has not given back")
		pods.ExpectDeletionBlocked(ctx, e, "before-0", "before", "the driver has not answered yet")
		drivers.RemoveFaults(ctx, e, use.device.Driver, use.node)
		pods.WaitForRunning(ctx, e, late)
	},
}
