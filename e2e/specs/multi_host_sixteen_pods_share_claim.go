package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostSixteenPodsShareClaim = suite.Spec{
	ID:           "multi-host-sixteen-pods-share-claim",
	Sentence:     "Sixteen pods that share a claim for an 8x8 slice are scheduled to its sixteen nodes, and no smaller slice is available at the same time.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *suite.Env) {
		g := stageGrid(ctx, e, "8x8")
		pods := e.StartUsers(ctx, "whole", g.of("8x8"), len(g.Nodes), suite.PodOptions{})
		gomega.Expect(nodesOf(ctx, e, pods...)).To(gomega.ConsistOf(g.Nodes), "each of the 16 hosts has one of the pods")

		var smaller []string
		for _, shape := range []string{"2x2", "2x4", "4x4", "4x8"} {
			smaller = append(smaller, "a-"+shape)
			startOne(ctx, e, "a-"+shape, g.of(shape))
		}
		e.AllRefused(ctx, "claim whole holds all hosts", smaller...)
	},
}
