package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionReleaseMakesRoomForOtherShapes = suite.Spec{
	ID:       "partition-release-makes-room-for-other-shapes",
	Sentence: "The counters of small partitions are allocated as a large partition once all of the needed counters are released.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-release-returns-counters",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-rest-stays-allocatable",
		"4815-whole-and-partitions-exclude-each-other",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, a100s(stage.Nodes[0], 1))
		small := func(slice int) string { return fmt.Sprintf("small-%d", slice) }
		const slices = 7
		var pods []string
		for slice := range slices {
			pods = append(pods, small(slice))
			e.Start(ctx, small(slice), one(at(stage, fmt.Sprintf("1g.5gb@%d", slice))))
		}
		e.AllScheduled(ctx, pods...)
		e.Start(ctx, "large", one(at(stage, "4g.20gb@0")))
		e.Start(ctx, "whole", one(at(stage, "whole")))
		e.AllRefused(ctx, "small partitions have all memory slices that it could start with", "large", "whole")

		for slice := range 3 {
			e.Removed(ctx, small(slice))
		}
		e.AllRefused(ctx, "a small partition still has memory slice 3", "large", "whole")
		e.Removed(ctx, small(3))
		e.Scheduled(ctx, "large")
		e.Refused(ctx, "whole", "partitions of the GPU are allocated")

		for slice := 4; slice < slices; slice++ {
			e.Removed(ctx, small(slice))
		}
		e.Removed(ctx, "large")
		e.Scheduled(ctx, "whole")
		e.Start(ctx, "small", one(at(stage, "1g.5gb@6")))
		e.Refused(ctx, "small", "the whole GPU is allocated")
		e.Removed(ctx, "whole")
		e.Scheduled(ctx, "small")
	},
}
