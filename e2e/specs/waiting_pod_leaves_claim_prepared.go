package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var waitingPodLeavesClaimPrepared = suite.Spec{
	ID:       "waiting-pod-leaves-claim-prepared",
	Sentence: "Of two pods that share a claim, one cannot start because another claim of it is missing. When that pod is deleted, the shared claim stays prepared for the other pod.",
	Profile:  driver,
	Features: contractFeatures,
	Judges:   suite.JudgesKubelet,
	Kinds:    contractKinds,
	Nodes:    1,
	// Kubelets up to 1.36 assume that the only pod they know for a claim is the
	// one that ends, and unprepare the claim.
	Since:        "1.37",
	Needs:        contractNeeds,
	Requirements: []string{"4381-prepared-for-its-pods"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		user := use.start(ctx, e, "shared")
		e.Runs(ctx, user)
		container := e.Container(ctx, user)

		e.PutOn(ctx, use.node, "waiting", "shared", "never-created")
		e.Waits(ctx, "waiting", "never-created")
		e.Ended(ctx, "waiting")
		gomega.Expect(e.Calls(ctx, use.device.Driver, use.node, calls.Unprepare, "shared")).To(gomega.BeEmpty(), "pod %s still uses claim shared", user)
		e.Prepared(ctx, use.device.Driver, use.node, "shared", true)
		e.KeptRunning(ctx, container, "the end of a pod that was never started")

		e.Removed(ctx, "shared", user)
		e.Prepared(ctx, use.device.Driver, use.node, "shared", false)
	},
}
