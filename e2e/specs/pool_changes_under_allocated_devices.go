package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var poolChangesUnderAllocatedDevices = suite.Spec{
	ID:       "pool-changes-under-allocated-devices",
	Sentence: "Allocated devices keep consuming counters of the newest generation of their pool, and their claims do not change.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-counters-across-claims",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		described := poolsFrom("changes")
		stage := e.Stage(ctx, 1)
		publish := func(pool string, generation int64) {
			slices := described.slices(pool, stage.Nodes[0], generation)
			for i := range slices {
				slices[i].Pool.Name = stage.Nodes[0]
			}
			stage.PublishSlices(ctx, slices...)
			if generation > 1 {
				stage.Withdraw(ctx, stage.Nodes[0], generation-1)
			}
			seen(ctx, e, stage, stage.Nodes[0], fmt.Sprintf("seen-%d", generation))
		}
		publish("ten", 1)
		e.Start(ctx, "first", called(stage, "four-a"))
		held := e.Scheduled(ctx, "first")

		publish("seven", 2)
		e.Start(ctx, "second", called(stage, "four-b"))
		e.Refused(ctx, "second", "the pool has become smaller, and claim first leaves too little of it")
		publish("ten", 3)
		e.Scheduled(ctx, "second")
		e.Start(ctx, "third", called(stage, "four-c"))
		e.Refused(ctx, "third", "claims first and second leave too little")
		publish("twelve", 4)
		e.Scheduled(ctx, "third")
		gomega.Expect(e.Scheduled(ctx, "first")).To(gomega.Equal(held), "a claim keeps its device when the pool changes")
	},
}
