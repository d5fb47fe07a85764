// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListPrefersNodesWithFirst publishes eight common devices on each
// of four nodes, and rare ones that only one node has. For each node, a pod
// prefers its rare device to a common one. Three forms of lists are tried. Another
// criterion may outweigh the preference for one of the four pods of a form.
var prioritizedListPrefersNodesWithFirst = suite.Spec{
	ID:          "prioritized-list-prefers-nodes-with-first",
	Description: "Of otherwise equal nodes, the one is preferred where a list gets its first subrequest, or an earlier one than on the others.",
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
		var seen []string
		for i, node := range sim.Names {
			seen = append(seen, fmt.Sprintf("seen-%d", i))
			inventory := fixture.Devices("common-0", "common-1", "common-2", "common-3", "common-4", "common-5", "common-6", "common-7")
			inventory.Devices = slices.Concat(inventory.Devices, rareDevices(i, 3).Devices, fixture.Devices(seen[i]).Devices)
			sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		}
		expect.SchedulerHasSeen(ctx, e, sim, seen...)

		common, absent := fixture.SubRequestFor(sim, "common"), fixture.SubRequestFor(sim, "absent")
		for _, row := range []struct {
			name, because string
			lists         func(rare devices.SubRequest) []devices.Request
			want, other   []string // with the preferred device, and with another
		}{
			{
				"first", "one node has the first alternative",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{fixture.FirstAvailable("list", rare, common)}
				},
				[]string{"list/rare"}, []string{"list/common"},
			}, {
				"second", "no node has the first alternative and one has the second",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{fixture.FirstAvailable("list", absent, rare, common)}
				},
				[]string{"list/rare"}, []string{"list/common"},
			}, {
				"last-list", "all nodes have the first alternative of one list and one node has that of the other",
				func(rare devices.SubRequest) []devices.Request {
					return []devices.Request{fixture.FirstAvailable("one", common, absent), fixture.FirstAvailable("two", rare, common)}
				},
				[]string{"one/common", "two/rare"}, []string{"one/common", "two/common"},
			},
		} {
			pod := func(i int) string { return fmt.Sprintf("%s-%d", row.name, i) }
			for i := range sim.Names {
				pods.CreateWithRequests(ctx, e, pod(i), row.lists(rareSubRequest(sim, i)))
			}
			var preferred []bool
			for i, node := range sim.Names {
				pods.WaitForScheduled(ctx, e, pod(i))
				want := row.other
				preferred = append(preferred, pods.GetNode(ctx, e, pod(i)) == node)
				if preferred[i] {
					want = row.want
				}
				expect.AllocatedFor(ctx, e, pod(i), row.because, want...)
			}
			expect.Preferred(preferred, fmt.Sprintf("pods %s on the node with their preferred device, because %s", row.name, row.because))
		}
	},
}
