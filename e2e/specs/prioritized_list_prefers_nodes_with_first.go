package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var prioritizedListPrefersNodesWithFirst = suite.Spec{
	ID:          "prioritized-list-prefers-nodes-with-first",
	Description: "Of otherwise equal nodes, a pod is scheduled to the one where a list gets its first subrequest, or an earlier one than on the others.",
	Profile:     prioritizedList,
	Features:    listsNeed,
	Component:   env.Scheduler,
	Since:       "1.35",
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-nodes-with-earlier-alternatives",
	},
	Body: func(ctx context.Context, e *env.Env) {
		// Each node has the devices that one of the pods prefers. A scheduler
		// that chooses by another criterion is wrong for most of the pods.
		sim := simulated.CreateNodes(ctx, e, 4)
		for i, node := range sim.Names {
			inventory := offers("common-0", "common-1", "common-2", "common-3", "common-4", "common-5", "common-6", "common-7")
			inventory.Devices = append(inventory.Devices, rare(i, 3).Devices...)
			sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		}
		seen(ctx, e, sim, sim.Names[0], "last")

		common, absent := kindOf(sim, "common"), kindOf(sim, "absent")
		for _, row := range []struct {
			name, because string
			lists         func(rare devices.SubRequest) []devices.Request
			want          []string
		}{
			{
				"first", "one node has the first alternative",
				func(rare devices.SubRequest) []devices.Request { return []devices.Request{list("list", rare, common)} },
				[]string{"list/rare"},
			}, {
				"second", "no node has the first alternative and one has the second",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{list("list", absent, rare, common)}
				},
				[]string{"list/rare"},
			}, {
				"last-list", "all nodes have the first alternative of one list and one node has that of the other",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{list("one", common, absent), list("two", rare, common)}
				},
				[]string{"one/common", "two/rare"},
			},
		} {
			pod := func(i int) string { return fmt.Sprintf("%s-%d", row.name, i) }
			for i := range sim.Names {
				pods.CreateWithRequests(ctx, e, pod(i), row.lists(rareOf(sim, i)))
			}
			for i, node := range sim.Names {
				isScheduledFor(ctx, e, pod(i), row.because, row.want...)
				gomega.Expect(pods.GetNode(ctx, e, pod(i))).To(gomega.Equal(node), "pod %s should be on the node with what it prefers", pod(i))
			}
		}
	},
}
