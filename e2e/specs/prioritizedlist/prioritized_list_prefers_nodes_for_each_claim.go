// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListPrefersNodesForEachClaim creates pods with two claims, which have a list
// each. One list has the same choice on each of four nodes, and the other prefers a device
// of one node, which differs from pod to pod. Two pods prefer each of the nodes, because
// a scheduler that does not count that list could guess right for four pods.
var prioritizedListPrefersNodesForEachClaim = suite.Spec{
	ID:          "prioritized-list-prefers-nodes-for-each-claim",
	Description: "Of otherwise equal nodes, the one is preferred where a list of one of the pod's claims gets its first subrequest, whichever claim that is.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	Since:       "1.35",
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-nodes-with-earlier-alternatives",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 4)
		var seen, common []string
		for i := range 32 {
			common = append(common, fmt.Sprintf("common-%d", i))
		}
		for i, node := range sim.Names {
			seen = append(seen, fmt.Sprintf("seen-%d", i))
			inventory := fixture.Devices(append(slices.Clone(common), seen[i])...)
			inventory.Devices = append(inventory.Devices, rareDevices(i, 4).Devices...)
			sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		}
		expect.SchedulerHasSeen(ctx, e, sim, seen...)
		first := createPreferring(ctx, e, sim, "first-claim", func(same, differs resourceapi.DeviceClaim) []resourceapi.DeviceClaim {
			return []resourceapi.DeviceClaim{differs, same}
		})
		last := createPreferring(ctx, e, sim, "last-claim", func(same, differs resourceapi.DeviceClaim) []resourceapi.DeviceClaim {
			return []resourceapi.DeviceClaim{same, differs}
		})
		expect.PreferredIfEver(e, first, last)
	},
}

// createPreferring creates two pods for each node, with claims in a certain order: one has
// the same choice on all nodes, and one prefers a device of this node. It returns which of
// them are on this node.
func createPreferring(ctx context.Context, e *env.Env, sim *simulated.Nodes, name string, ordered func(same, differs resourceapi.DeviceClaim) []resourceapi.DeviceClaim) expect.Choices {
	ginkgo.GinkgoHelper()
	common := fixture.SubRequestFor(sim, "common")
	same := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", common, fixture.SubRequestFor(sim, "absent"))})
	pod := func(i int) string { return fmt.Sprintf("%s-%d", name, i) }
	wanted := slices.Concat(sim.Names, sim.Names)
	for i := range wanted {
		differs := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", rareSubRequest(sim, i%len(sim.Names)), common)})
		pods.CreateWithClaims(ctx, e, pod(i), ordered(same, differs)...)
	}
	var preferred []bool
	for i, node := range wanted {
		pods.WaitForScheduled(ctx, e, pod(i))
		preferred = append(preferred, pods.GetNode(ctx, e, pod(i)) == node)
	}
	return expect.Choices{What: fmt.Sprintf("pods %s on the node with the device that their list prefers", name), Preferred: preferred}
}
