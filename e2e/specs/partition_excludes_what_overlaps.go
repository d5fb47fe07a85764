package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

// partitionExcludesWhatOverlaps publishes one GPU for each possible placement.
var partitionExcludesWhatOverlaps = suite.Spec{
	ID:       "partition-excludes-what-overlaps",
	Sentence: "Every profile of an A100 can be allocated at each of its placements, and every partition that overlaps with it is then unavailable.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-counters-of-the-pool",
		"4815-refused-without-counters",
		"4815-counters-across-claims",
		"4815-counter-sets-apart",
		"4815-whole-and-partitions-exclude-each-other",
		"4815-requests-as-before",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		all, _ := placements()
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, a100s(stage.Nodes[0], len(all)))
		var holders []string
		for gpu, held := range all {
			holders = append(holders, fmt.Sprintf("held-%d", gpu))
			e.Start(ctx, holders[gpu], one(atGPU(stage, gpu, held.name)))
		}
		e.AllScheduled(ctx, holders...)

		var late []string
		for gpu, held := range all {
			overlapping := []string{"whole"}
			for _, other := range all {
				if held.overlaps(other) {
					overlapping = append(overlapping, other.name)
				}
			}
			late = append(late, fmt.Sprintf("late-%d", gpu))
			e.Start(ctx, late[gpu], one(atGPU(stage, gpu, overlapping...)))
		}
		e.AllRefused(ctx, "each accepts only what overlaps with the partition that is allocated of its GPU", late...)
	},
}
