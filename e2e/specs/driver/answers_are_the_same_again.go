package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/fakedriver/calls"
)

// answersAreTheSameAgain lets the response to a call to prepare be lost, and
// later that to a call to unprepare. It compares the devices and CDI devices
// of all calls for the claim.
var answersAreTheSameAgain = suite.Spec{
	ID:           "answers-are-the-same-again",
	Description:  "A driver whose responses are lost is called again. It prepares the same devices for the same claim, and succeeds in unpreparing a claim that is unprepared.",
	Profile:      profile,
	Features:     contractFeatures,
	Component:    env.Driver,
	Kinds:        contractKinds,
	MinNodes:     1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-prepare-is-idempotent", "4381-unprepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		use := useOnNode(ctx, e)
		lost := calls.Fault{Method: calls.Prepare, Action: calls.Lose, Count: 1, Message: "the spec wants this answer to be lost"}
		drivers.InjectFault(ctx, e, use.device.Driver, use.node, lost)
		pod := use.start(ctx, e, "again")
		drivers.WaitForCall(ctx, e, use.device.Driver, use.node, calls.Prepare, "again")
		pods.TriggerKubeletSync(ctx, e, pod)
		pods.WaitForRunning(ctx, e, pod)
		drivers.ExpectSamePrepareResults(ctx, e, use.device.Driver, use.node, "again", 2)

		lost.Method = calls.Unprepare
		drivers.InjectFault(ctx, e, use.device.Driver, use.node, lost)
		pods.DeleteWithClaim(ctx, e, "again", pod)
		got := drivers.GetCalls(ctx, e, use.device.Driver, use.node, calls.Unprepare, "again")
		gomega.Expect(len(got)).To(gomega.BeNumerically(">", 1), "the kubelet should ask again whose answer was lost: %v", got)
		for _, call := range got {
			gomega.Expect(call.Succeeded()).To(gomega.BeTrue(), "the driver should give claim again back, also if it has done so: %v", got)
		}
		drivers.WaitForUnprepared(ctx, e, use.device.Driver, use.node, "again")
	},
}
