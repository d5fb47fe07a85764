package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceServesClaimsAndRequests = suite.Spec{
	ID:       "shared-device-serves-claims-and-requests",
	Sentence: "Several claims, and several requests of a claim, have shares of one device at the same time, each with its own share ID.",
	Profile:  capacity,
	Smoke:    true,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-several-claims",
		"5075-several-requests",
		"5075-share-id",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nic.yaml"))
		one := stage.Device("device.allowMultipleAllocations")
		e.Start(ctx, "first", []suite.Request{{Name: "a", Device: one}})
		e.Start(ctx, "second", []suite.Request{{Name: "a", Device: one}, {Name: "b", Device: one}})

		ids := map[string]string{}
		for _, claim := range []string{"first", "second"} {
			for _, share := range getShares(ctx, e, claim) {
				ids[string(*share.ShareID)] = claim + "/" + share.Request
			}
		}
		gomega.Expect(ids).To(gomega.HaveLen(3), "each of the three shares should have an id of its own")
	},
}
