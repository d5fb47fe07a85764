package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var poolAllWaitsForEveryPool = suite.Spec{
	ID:       "pool-all-waits-for-every-pool",
	Sentence: "A request for all devices gets none on a node where a pool is incomplete or invalid, and all devices of all pools once every pool is complete and valid.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage, suite.NeedsWholePools},
	Since:    "1.35",
	Requirements: []string{
		"4815-all-needs-valid-pools",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		described := poolsFrom("all-of-two-pools")
		stage := e.Stage(ctx, 2)
		incomplete, invalid := stage.Nodes[0], stage.Nodes[1]
		late := described.slices("late", incomplete, 1)
		stage.PublishSlices(ctx, late[0])
		stage.PublishSlices(ctx, described.slices("wrong", invalid, 1)...)
		// These are published last. A scheduler that has observed them has
		// observed the other pool of the node.
		for _, node := range stage.Nodes {
			stage.PublishSlices(ctx, described.slices("sound", node, 1)...)
		}

		startAllOn(ctx, e, stage, incomplete, "beside-incomplete")
		startAllOn(ctx, e, stage, invalid, "beside-invalid")
		// Some schedulers report an error instead of an unschedulable pod.
		e.StayPending(ctx, "it is not known which devices the other pool of their node has", "beside-incomplete", "beside-invalid")
		stage.PublishSlices(ctx, late[1])
		gomega.Expect(e.Scheduled(ctx, "beside-incomplete")).To(gomega.HaveLen(3), "claim beside-incomplete asks for all devices of both pools")
		e.StayPending(ctx, "a pool of its node still contradicts itself", "beside-invalid")
	},
}
