package specs

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var multiHostHostLeaves = suite.Spec{
	ID:           "multi-host-host-leaves",
	Sentence:     "When a host is removed from the pool, devices that span it are unavailable, devices of other hosts stay available, and allocated claims keep their devices.",
	Profile:      multiHost,
	Features:     []features.Feature{features.Core, features.Partitions},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"4815-device-on-selected-nodes"},
	Body: func(ctx context.Context, e *suite.Env) {
		g := stageGrid(ctx, e, "4x4")
		startOne(ctx, e, "before", g.at("2x4", "2,0"))
		e.Scheduled(ctx, "before")

		g.publish(ctx, 2, 1)
		g.Withdraw(ctx, g.topology.Name(), 1)
		g.seen(ctx, e)
		startOne(ctx, e, "pair", g.at("2x4", "0,0"))
		startOne(ctx, e, "part", g.at("2x2", "2,2"))
		e.EachRefused(ctx, map[string]string{"pair": "one of its hosts has left the pool", "part": "claim before holds its host"})
		startOne(ctx, e, "single", g.of("2x2"))
		e.Scheduled(ctx, "single")
		gomega.Expect(e.Node(ctx, "single")).To(gomega.Equal(g.Nodes[0]), "all other hosts are gone or taken")
		e.Removed(ctx, "single")

		g.publish(ctx, 3)
		g.Withdraw(ctx, g.topology.Name(), 2)
		e.Scheduled(ctx, "pair")
	},
}
