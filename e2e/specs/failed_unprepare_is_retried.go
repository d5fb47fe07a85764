package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var failedUnprepareIsRetried = suite.Spec{
	ID:           "failed-unprepare-is-retried",
	Sentence:     "When the driver fails to give a claim back, by an error for the call, by one for the claim or by an answer without it, the deleted pod stays until the kubelet has asked again and the driver has done it.",
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
