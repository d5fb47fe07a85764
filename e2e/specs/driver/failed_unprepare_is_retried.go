package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/fakedriver/calls"
)

// failedUnprepareIsRetried lets the driver fail three calls to unprepare, each
// in another way, while three pods of one node are deleted. The driver's calls
// must show the failures and then a success for each claim.
var failedUnprepareIsRetried = suite.Spec{
	ID:           "failed-unprepare-is-retried",
	Description:  "When the driver fails to unprepare a claim, by an error for the call, an error for the claim, or a response without the claim, the deleted pod stays until the kubelet has retried and the driver has succeeded.",
	Profile:      profile,
	Features:     contractFeatures,
	Component:    env.Kubelet,
	Kinds:        contractKinds,
	MinNodes:     1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *env.Env) {
		use := useOnNode(ctx, e)
		var podNames []string
		for _, claim := range failing {
			podNames = append(podNames, use.start(ctx, e, claim))
		}
		for _, pod := range podNames {
			pods.WaitForRunning(ctx, e, pod)
		}
		use.disturb(ctx, e, calls.Unprepare)
		pods.Delete(ctx, e, podNames...)
		use.failedAndDone(ctx, e, calls.Unprepare)
		for _, claim := range failing {
			drivers.WaitForUnprepared(ctx, e, use.device.Driver, use.node, claim)
		}
	},
}
