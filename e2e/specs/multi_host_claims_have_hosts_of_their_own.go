package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostClaimsHaveHostsOfTheirOwn = suite.Spec{
	ID:           "multi-host-claims-have-hosts-of-their-own",
	Sentence:     "Two claims for devices of two nodes get different hosts, and all their pods are scheduled.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-counters-across-claims"},
	Body: func(ctx context.Context, e *suite.Env) {
		g := stageGrid(ctx, e, "4x4")
		left := e.StartUsers(ctx, "left", g.of("2x4"), 2, suite.PodOptions{})
		right := e.StartUsers(ctx, "right", g.of("2x4"), 2, suite.PodOptions{})
		gomega.Expect(nodesOf(ctx, e, append(left, right...)...)).To(gomega.ConsistOf(g.Nodes), "each host has one of the four pods")

		startOne(ctx, e, "single", g.of("2x2"))
		startOne(ctx, e, "all", g.of("4x4"))
		e.AllRefused(ctx, "the two claims hold all hosts", "single", "all")
	},
}
