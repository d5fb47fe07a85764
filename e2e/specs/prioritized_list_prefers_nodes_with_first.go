package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListPrefersNodesWithFirst = suite.Spec{
	ID:       "prioritized-list-prefers-nodes-with-first",
	Sentence: "Of otherwise equal nodes, a pod is scheduled to the one where a list gets its first subrequest, or an earlier one than on the others.",
	Profile:  prioritizedList,
	Features: listsNeed,
	Judges:   suite.JudgesScheduler,
	Since:    "1.35",
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"4816-nodes-with-earlier-alternatives",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		// Each node has the devices that one of the pods prefers. A scheduler
		// that chooses by another criterion is wrong for most of the pods.
		stage := e.Stage(ctx, 4)
		for i, node := range stage.Nodes {
			inventory := offers("common-0", "common-1", "common-2", "common-3", "common-4", "common-5", "common-6", "common-7")
			inventory.Devices = append(inventory.Devices, rare(i, 3).Devices...)
			stage.Publish(ctx, suite.Pool{Node: node}, inventory)
		}
		seen(ctx, e, stage, stage.Nodes[0], "last")

		common, absent := kindOf(stage, "common"), kindOf(stage, "absent")
		for _, row := range []struct {
			name, because string
			lists         func(rare suite.Alternative) []suite.Request
			want          []string
		}{
			{
				"first", "one node has the first alternative",
				func(rare suite.Alternative) []suite.Request { return []suite.Request{list("list", rare, common)} },
				[]string{"list/rare"},
			}, {
				"second", "no node has the first alternative and one has the second",
				func(rare suite.Alternative) []suite.Request {
					return []suite.Request{list("list", absent, rare, common)}
				},
				[]string{"list/rare"},
			}, {
				"last-list", "all nodes have the first alternative of one list and one node has that of the other",
				func(rare suite.Alternative) []suite.Request {
					return []suite.Request{list("one", common, absent), list("two", rare, common)}
				},
				[]string{"one/common", "two/rare"},
			},
		} {
			pod := func(i int) string { return fmt.Sprintf("%s-%d", row.name, i) }
			for i := range stage.Nodes {
				e.Start(ctx, pod(i), row.lists(rareOf(stage, i)))
			}
			for i, node := range stage.Nodes {
				isScheduledFor(ctx, e, pod(i), row.because, row.want...)
				gomega.Expect(e.Node(ctx, pod(i))).To(gomega.Equal(node), "pod %s should be on the node with what it prefers", pod(i))
			}
		}
	},
}
