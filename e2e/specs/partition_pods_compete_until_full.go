package specs

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

var partitionPodsCompeteUntilFull = suite.Spec{
	ID:       "partition-pods-compete-until-full",
	Sentence: "Of many pods that request a partition at the same time, as many as fit get one, and the others get one when those end.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-counters-across-claims",
		"4815-refused-without-counters",
		"4815-release-returns-counters",
		"4815-rest-stays-allocatable",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 2)
		for _, node := range stage.Nodes {
			stage.Publish(ctx, suite.Pool{Node: node}, a100s(node, 1))
		}
		// Each of the two GPUs has room for seven partitions. One of these can
		// have the media extensions. Devices at the same place exclude each
		// other.
		const pods, room = 19, 14
		var places []string
		for slice := range 7 {
			places = append(places, fmt.Sprintf("1g.5gb@%d", slice), fmt.Sprintf("1g.5gb+me@%d", slice))
		}
		for i := range pods {
			e.Start(ctx, fmt.Sprintf("pod-%02d", i), one(at(stage, places...)))
		}
		in, out := e.UntilScheduled(ctx, room)
		e.AllRefused(ctx, "as many pods as fit have a partition", out...)
		e.AllScheduled(ctx, in...)

		const ended = 3
		for _, pod := range in[:ended] {
			e.Removed(ctx, pod)
		}
		in, out = e.UntilScheduled(ctx, room)
		e.AllRefused(ctx, "as many pods as fit have a partition", out...)
		e.AllScheduled(ctx, in...)
	},
}
