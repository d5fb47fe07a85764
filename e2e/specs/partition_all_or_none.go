package specs

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionAllOrNone = suite.Spec{
	ID:       "partition-all-or-none",
	Sentence: "A request for all devices gets every device that matches, and none while the counters do not suffice for all of them.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage, suite.NeedsWholePools},
	Since:    "1.36",
	Requirements: []string{
		"4815-all-devices-or-none",
		"4815-counters-within-a-claim",
		"4815-counters-across-claims",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, a100s(stage.Nodes[0], 1))
		halves := []string{"3g.20gb@0", "3g.20gb@4"}
		start := func(pod string, places ...string) {
			claim := suite.Devices(one(at(stage, places...)))
			claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
			e.StartClaim(ctx, pod, claim)
		}
		start("overlapping", append(halves, "1g.5gb@6")...)
		e.Refused(ctx, "overlapping", "all of its devices together need more than there is")

		e.Start(ctx, "other", one(at(stage, "1g.5gb@6")))
		e.Scheduled(ctx, "other")
		start("halves", halves...)
		e.Refused(ctx, "halves", "one of its devices needs what claim other has")
		e.Removed(ctx, "other")
		gomega.Expect(e.Scheduled(ctx, "halves")).To(gomega.HaveLen(len(halves)), "claim halves asks for all devices that it selects")
	},
}
