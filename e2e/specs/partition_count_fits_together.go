package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite"
)

var partitionCountFitsTogether = suite.Spec{
	ID:       "partition-count-fits-together",
	Sentence: "A request for several devices gets devices whose counters suffice for all of them, from any ResourceSlices and pools of the node, or none.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-counters-within-a-claim",
		"4815-rest-stays-allocatable",
		"4815-pools-apart",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		node := stage.Nodes[0]
		described := poolsFrom("whole-before-parts")
		start := func(pod string, count int64) {
			e.Start(ctx, pod, []suite.Request{{Name: "devices", Device: stage.Device(""), Count: count}})
		}
		partsOf := func(pools ...string) (parts []audit.DeviceID) {
			for _, pool := range pools {
				for _, device := range []string{"left", "right"} {
					parts = append(parts, audit.DeviceID{Driver: stage.Driver, Pool: node + "-" + pool, Device: device})
				}
			}
			return parts
		}
		stage.PublishSlices(ctx, described.slices("a", node, 1)...)
		start("three", 3)
		e.Refused(ctx, "three", "the counters of its devices suffice for two of them at most")
		e.Removed(ctx, "three")
		start("two", 2)
		gomega.Expect(e.Scheduled(ctx, "two")).To(gomega.ConsistOf(partsOf("a")), "the whole device leaves nothing for a second one")
		e.Removed(ctx, "two")

		stage.PublishSlices(ctx, described.slices("b", node, 1)...)
		start("four", 4)
		gomega.Expect(e.Scheduled(ctx, "four")).To(gomega.ConsistOf(partsOf("a", "b")), "each pool has two devices that fit together")
		start("one", 1)
		e.Refused(ctx, "one", "claim four uses up both pools")
	},
}
