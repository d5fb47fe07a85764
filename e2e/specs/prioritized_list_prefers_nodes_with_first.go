package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListPrefersNodesWithFirst = suite.Spec{
	ID:       "prioritized-list-prefers-nodes-with-first",
	Sentence: "Of nodes that differ in nothing else, a pod goes to the one that has its first alternative.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Since:    "1.35",
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-nodes-with-earlier-alternatives",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		// Each node has what another pod prefers, so that a scheduler which always
		// chooses by something else is wrong about most of them.
		stage := e.Stage(ctx, 4)
		rare := func(i int) string { return fmt.Sprintf("rare-%d", i) }
		for i, node := range stage.Nodes {
			stage.Publish(ctx, suite.Pool{Node: node}, offers("common-0", "common-1", "common-2", "common-3", rare(i)))
		}
		for i := range stage.Nodes {
			e.Start(ctx, rare(i), []suite.Request{list("list", kindOf(stage, rare(i)), kindOf(stage, "common"))})
		}
		for i, node := range stage.Nodes {
			isScheduledFor(ctx, e, rare(i), "one node has the first alternative", "list/"+rare(i))
			gomega.Expect(e.Node(ctx, rare(i))).To(gomega.Equal(node))
		}
	},
}
