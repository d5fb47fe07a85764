package specs

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
)

var poolIncompleteIsNotUsed = suite.Spec{
	ID:       "pool-incomplete-is-not-used",
	Sentence: "No device is allocated from a pool before all of its ResourceSlices exist, including those without devices.",
	Profile:  partitioning,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-complete-pools-only",
		"4815-slice-count-of-all-slices",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		described := poolsFrom("three-slices")
		stage := e.Stage(ctx, 3)
		var pods []string
		missing := make([]resourceapi.ResourceSliceSpec, len(stage.Nodes))
		for i, node := range stage.Nodes {
			// In each pool, a different slice is published late: the one with counters, the one with devices, or the
			// empty one.
			slices := described.slices("pool", node, 1)
			missing[i] = slices[i]
			for other, slice := range slices {
				if other != i {
					stage.PublishSlices(ctx, slice)
				}
			}
			pods = append(pods, fmt.Sprintf("pod-%d", i))
			startOn(ctx, e, stage, node, pods[i], "plain")
		}
		e.AllRefused(ctx, "a slice of the pool on its node is missing", pods...)
		for _, slice := range missing {
			stage.PublishSlices(ctx, slice)
		}
		e.AllScheduled(ctx, pods...)
	},
}
