package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var failedUnprepareIsRetried = suite.Spec{
	ID:           "failed-unprepare-is-retried",
	Sentence:     "When the driver fails to unprepare a claim, by an error for the call, an error for the claim, or a response without the claim, the deleted pod stays until the kubelet has retried and the driver has succeeded.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		var pods []string
		for _, claim := range failing {
			pods = append(pods, use.start(ctx, e, claim))
		}
		for _, pod := range pods {
			e.Runs(ctx, pod)
		}
		use.disturb(ctx, e, calls.Unprepare)
		e.Ended(ctx, pods...)
		use.failedAndDone(ctx, e, calls.Unprepare)
		for _, claim := range failing {
			e.Prepared(ctx, use.device.Driver, use.node, claim, false)
		}
	},
}
