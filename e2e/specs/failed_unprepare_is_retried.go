package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var failedUnprepareIsRetried = suite.Spec{
	ID:           "failed-unprepare-is-retried",
	Sentence:     "When the driver fails to give a claim back, the deleted pod stays until the kubelet has asked again and the driver has done it.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		e.Runs(ctx, use.start(ctx, e, "before"))
		e.Disturb(ctx, use.device.Driver, use.node, calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 1, Message: "the spec wants this to fail"})
		e.Removed(ctx, "before", "before-0")
		got := e.Calls(ctx, use.device.Driver, use.node, calls.Unprepare, "before")
		gomega.Expect(got).NotTo(gomega.BeEmpty(), "the kubelet should have the claim of a pod that is gone given back")
		gomega.Expect(got[0].Error).To(gomega.ContainSubstring("the spec wants this to fail"), "the first call should be the one that failed")
		gomega.Expect(got[len(got)-1].Succeeded()).To(gomega.BeTrue(), "the last call should have given claim before back: %v", got)
		e.Prepared(ctx, use.device.Driver, use.node, "before", false)
	},
}
