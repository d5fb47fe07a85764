package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var newClaimWaitsForItsNamesake = suite.Spec{
	ID:           "new-claim-waits-for-its-namesake",
	Sentence:     "A pod and its claim are force-deleted and created again with the same names. The new pod is not started before the driver has unprepared the old claim, and then has the devices of the new claim.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-claims-told-by-uid"},
	Body: func(ctx context.Context, e *suite.Env) {
		const claim = "namesake"
		use := useOnNode(ctx, e)
		pod := use.start(ctx, e, claim)
		e.Runs(ctx, pod)
		old := e.UID(ctx, claim)

		e.Disturb(ctx, use.device.Driver, use.node, calls.Fault{Method: calls.Unprepare, Action: calls.Hang, Count: 100})
		e.Delete(ctx, pod, true)
		e.RemovedClaim(ctx, claim)
		use.start(ctx, e, claim)
		e.Waits(ctx, pod, claim)
		for _, call := range e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, claim) {
			gomega.Expect(call.UID).To(gomega.Equal(old), "the new claim should not be prepared yet")
		}

		e.Undisturb(ctx, use.device.Driver, use.node)
		e.Runs(ctx, pod)
		for _, call := range e.Calls(ctx, use.device.Driver, use.node, calls.Unprepare, claim) {
			gomega.Expect(call.UID).To(gomega.Equal(old), "the new claim should not be given back")
		}
		e.Removed(ctx, claim, pod)
		e.Prepared(ctx, use.device.Driver, use.node, claim, false)
	},
}
