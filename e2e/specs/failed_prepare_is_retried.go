package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var failedPrepareIsRetried = suite.Spec{
	ID:           "failed-prepare-is-retried",
	Sentence:     "When the driver fails to prepare a claim, the pod waits, the kubelet asks again, and then the pod runs.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-failed-prepare-is-repeated"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		e.Disturb(ctx, use.device.Driver, use.node, calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "the spec wants this to fail"})
		pod := use.start(ctx, e, "late")
		e.Called(ctx, use.device.Driver, use.node, calls.Prepare, "late")
		e.Touch(ctx, pod)
		e.Runs(ctx, pod)
		got := e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, "late")
		gomega.Expect(got[0].Error).To(gomega.ContainSubstring("the spec wants this to fail"), "the first call should be the one that failed")
		gomega.Expect(got[len(got)-1].Succeeded()).To(gomega.BeTrue(), "the last call should have prepared claim late: %v", got)
	},
}
