package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var notReservedIsNotRun = suite.Spec{
	ID:           "not-reserved-is-not-run",
	Sentence:     "A pod that is put on a node although its claim is not allocated, or not there, is not started, and an event names the claim.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-not-reserved-not-run"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		_, err := e.Claim(ctx, "unallocated", suite.Devices([]suite.Request{{Name: "device", Device: use.device}}))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		for _, claim := range []string{"unallocated", "missing"} {
			e.PutOn(ctx, use.node, "of-"+claim, claim)
		}
		for _, claim := range []string{"unallocated", "missing"} {
			e.Waits(ctx, "of-"+claim, claim)
			gomega.Expect(e.Calls(ctx, use.device.Driver, use.node, calls.Prepare, claim)).To(gomega.BeEmpty(), "claim %s should not be prepared", claim)
		}
	},
}
