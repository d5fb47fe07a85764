package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var sharedClaimUnpreparedByLastPod = suite.Spec{
	ID:           "shared-claim-unprepared-by-last-pod",
	Sentence:     "Two pods of a node share a claim. The claim stays prepared when the first pod ends, and is unprepared when the second one ends.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-prepared-until-last-pod"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		first := use.start(ctx, e, "shared")
		e.Join(ctx, "second", suite.PodOptions{Node: use.node}, "shared")
		e.Runs(ctx, first)
		e.Runs(ctx, "second")
		container := e.Container(ctx, "second")

		e.Ended(ctx, first)
		e.KeptRunning(ctx, container, "the end of the other pod")
		gomega.Expect(e.Calls(ctx, use.device.Driver, use.node, calls.Unprepare, "shared")).To(gomega.BeEmpty(), "pod second still uses claim shared")
		e.Prepared(ctx, use.device.Driver, use.node, "shared", true)

		e.Removed(ctx, "shared", "second")
		e.Prepared(ctx, use.device.Driver, use.node, "shared", false)
	},
}
