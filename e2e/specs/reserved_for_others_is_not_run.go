package specs

import (
	"context"
	"slices"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var reservedForOthersIsNotRun = suite.Spec{
	ID:           "reserved-for-others-is-not-run",
	Sentence:     "A pod that is bound to a node although its claim is reserved for another pod only is not started, and an event names the claim. The other pod keeps running.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        slices.Concat(contractNeeds, []suite.Need{suite.NeedsStage}),
	Requirements: []string{"4381-not-reserved-not-run"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		owner := use.start(ctx, e, "taken")
		e.Runs(ctx, owner)
		container := e.Container(ctx, owner)
		prepared := len(e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, "taken"))

		// Without this policy, the controller manager would reserve the claim
		// for each pod that is bound to a node.
		e.RefuseStatus(ctx, "taken")
		e.PutOn(ctx, use.node, "intruder", "taken")
		e.Waits(ctx, "intruder", "taken")
		gomega.Expect(e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, "taken")).To(gomega.HaveLen(prepared), "claim taken should not be prepared for pod intruder")
		e.KeptRunning(ctx, container, "a pod that may not use its claim")
	},
}
