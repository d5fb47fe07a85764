package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var notReservedIsNotRun = suite.Spec{
	ID:           "not-reserved-is-not-run",
	Sentence:     "A pod that is bound to a node although its claim is not allocated, or does not exist, is not started, and an event names the claim.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-not-reserved-not-run"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		// These words occur only in messages that name the claim.
		claims := []string{"never-allocated", "never-created"}
		_, err := e.Claim(ctx, claims[0], suite.Devices([]suite.Request{{Name: "device", Device: use.device}}))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods := []string{"first", "second"}
		for i, claim := range claims {
			e.PutOn(ctx, use.node, pods[i], claim)
		}
		for i, claim := range claims {
			e.Waits(ctx, pods[i], claim)
			gomega.Expect(e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, claim)).To(gomega.BeEmpty(), "claim %s should not be prepared", claim)
		}
	},
}
