package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var failedPrepareIsRetried = suite.Spec{
	ID:           "failed-prepare-is-retried",
	Sentence:     "When the driver fails to prepare a claim, by an error for the call, an error for the claim, or a response without the claim, the pod is pending, the kubelet retries, and then the pod runs.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-failed-prepare-is-repeated"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		use.disturb(ctx, e, calls.Prepare)
		var pods []string
		for _, claim := range failing {
			pods = append(pods, use.start(ctx, e, claim))
		}
		for i, claim := range failing {
			e.Called(ctx, use.device.Driver, use.node, calls.Prepare, claim)
			e.Touch(ctx, pods[i])
		}
		for _, pod := range pods {
			e.Runs(ctx, pod)
		}
		use.failedAndDone(ctx, e, calls.Prepare)
	},
}
