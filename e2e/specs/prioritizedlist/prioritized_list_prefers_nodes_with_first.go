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

// prioritizedListPrefersNodesWithFirst publishes many common devices on each
// of four nodes, and rare ones that only one node has. For each node, a pod
// prefers its rare device to a common one, or to several of them. Several forms of
// lists are tried, one of them in the second claim of the pod. Another
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
			inventory := fixture.Devices(seen[i])
			for j := range 28 {
				inventory.Devices = append(inventory.Devices, fixture.Devices(fmt.Sprintf("common-%d", j)).Devices...)
			}
			inventory.Devices = slices.Concat(inventory.Devices, rareDevices(i, len(nodePreferences(sim))).Devices)
			sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		}
		expect.SchedulerHasSeen(ctx, e, sim, seen...)

		var all []expect.Choices
		for _, row := range nodePreferences(sim) {
			pod := func(i int) string { return fmt.Sprintf("%s-%d", row.name, i) }
			claim := pod
			if row.behind {
				claim = func(i int) string { return pod(i) + "-1" }
			}
			for i := range sim.Names {
				list := devices.NewDeviceClaim(row.lists(rareSubRequest(sim, i)))
				if row.behind {
					pods.CreateWithClaims(ctx, e, pod(i), devices.NewDeviceClaim(fixture.One(fixture.SubRequestFor(sim, "common").Device)), list)
				} else {
					pods.CreateWithClaim(ctx, e, pod(i), list)
				}
			}
			var preferred []bool
			for i, node := range sim.Names {
				pods.WaitForScheduled(ctx, e, pod(i))
				want := row.other
				preferred = append(preferred, pods.GetNode(ctx, e, pod(i)) == node)
				if preferred[i] {
					want = row.want
				}
				expect.AllocatedFor(ctx, e, claim(i), row.because, want...)
			}
			all = append(all, expect.Choices{What: fmt.Sprintf("pods %s on the node with their preferred device, because %s", row.name, row.because), Preferred: preferred})
		}
		expect.PreferredIfEver(e, all...)
	},
}

// nodePreference is a form of lists with which pods prefer a node.
type nodePreference struct {
	name, because string
	lists         func(rare devices.SubRequest) []devices.Request
	want, other   []string // with the preferred device, and with another
	// behind adds a claim for a common device before the claim with the lists.
	behind bool
}

// nodePreferences returns the forms of lists for the devices of
// [prioritizedListPrefersNodesWithFirst]. Each needs one rare device of each node.
func nodePreferences(sim *simulated.Nodes) []nodePreference {
	common, absent := fixture.SubRequestFor(sim, "common"), fixture.SubRequestFor(sim, "absent")
	list := func(alternatives ...devices.SubRequest) []devices.Request {
		return []devices.Request{fixture.FirstAvailable("list", alternatives...)}
	}
	rareFirst := func(rare devices.SubRequest) []devices.Request { return list(rare, common) }
	rareOne, commonOne := []string{"list/rare"}, []string{"list/common"}
	return []nodePreference{
		{name: "first", because: "one node has the first alternative", lists: rareFirst, want: rareOne, other: commonOne},
		{
			name: "second", because: "no node has the first alternative and one has the second",
			lists: func(rare devices.SubRequest) []devices.Request { return list(absent, rare, common) },
			want:  rareOne, other: commonOne,
		}, {
			name: "last-list", because: "all nodes have the first alternative of one list and one node has that of the other",
			lists: func(rare devices.SubRequest) []devices.Request {
				return []devices.Request{fixture.FirstAvailable("one", common, absent), fixture.FirstAvailable("two", rare, common)}
			},
			want: []string{"one/common", "two/rare"}, other: []string{"one/common", "two/common"},
		},
		{name: "last-claim", because: "one node has the first alternative of the second claim", lists: rareFirst, want: rareOne, other: commonOne, behind: true},
		{
			name: "few-before-many", because: "one node has the first alternative, which is a single device, and all have the second, which is several",
			lists: func(rare devices.SubRequest) []devices.Request { return list(rare, twoOf(common)) },
			want:  rareOne, other: []string{"list/common", "list/common"},
		},
	}
}
