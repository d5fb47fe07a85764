package prioritizedlist

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var prioritizedListPrefersNodesWithFirst = suite.Spec{
	ID:          "prioritized-list-prefers-nodes-with-first",
	Description: "Of otherwise equal nodes, a pod is scheduled to the one where a list gets its first subrequest, or an earlier one than on the others.",
	Profile:     profile,
	Features:    simulatedFeatures,
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
			inventory := fixture.Devices("common-0", "common-1", "common-2", "common-3", "common-4", "common-5", "common-6", "common-7")
			inventory.Devices = append(inventory.Devices, rareDevices(i, 3).Devices...)
			sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		}
		expect.SchedulerHasSeenSlices(ctx, e, sim, sim.Names[0], "last")

		common, absent := fixture.SubRequestFor(sim, "common"), fixture.SubRequestFor(sim, "absent")
		for _, row := range []struct {
			name, because string
			lists         func(rare devices.SubRequest) []devices.Request
			want          []string
		}{
			{
				"first", "one node has the first alternative",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{fixture.FirstAvailable("list", rare, common)}
				},
				[]string{"list/rare"},
			}, {
				"second", "no node has the first alternative and one has the second",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{fixture.FirstAvailable("list", absent, rare, common)}
				},
				[]string{"list/rare"},
			}, {
				"last-list", "all nodes have the first alternative of one list and one node has that of the other",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{fixture.FirstAvailable("one", common, absent), fixture.FirstAvailable("two", rare, common)}
				},
				[]string{"one/common", "two/rare"},
			},
		} {
			pod := func(i int) string { return fmt.Sprintf("%s-%d", row.name, i) }
			for i := range sim.Names {
				pods.CreateWithRequests(ctx, e, pod(i), row.lists(rareSubRequest(sim, i)))
			}
			for i, node := range sim.Names {
				expect.ScheduledFor(ctx, e, pod(i), row.because, row.want...)
				gomega.Expect(pods.GetNode(ctx, e, pod(i))).To(gomega.Equal(node), "pod %s should be on the node with its preferred device", pod(i))
			}
		}
	},
}
