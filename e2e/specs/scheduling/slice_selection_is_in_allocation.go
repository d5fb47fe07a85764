// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceSelectionIsInAllocation publishes devices for the nodes of a zone, for all nodes,
// and for a single node. All nodes have the same host name. Claims request one of each, and one of the zone together with
// one for all nodes. Pods on other nodes use the claims after that.
var sliceSelectionIsInAllocation = suite.Spec{
	ID:           "slice-selection-is-in-allocation",
	Description:  "An allocation selects the nodes that the ResourceSlices of its devices select, so that further pods that use the claim are scheduled to any of these nodes, and to no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-allocation-has-node-selector"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 3, func(i int, node *corev1.Node) {
			node.Labels[zone] = []string{"a", "a", "b"}[i]
			node.Labels[corev1.LabelHostname] = "host" // The name of a node may differ from its host name.
		})
		nodes := sim.Names
		sim.CreatePool(ctx, simulated.Pool{Name: "rack", Selector: inZone("a")}, fixture.Devices("rack-0", "rack-1", "rack-2"))
		sim.CreatePool(ctx, simulated.Pool{Name: "fabric"}, fixture.Devices("fabric-0", "fabric-1", "fabric-2"))
		sim.CreatePool(ctx, simulated.Pool{Node: nodes[0]}, fixture.Devices("local"))

		for claim, of := range map[string]struct{ devices, nodes []string }{
			"rack": {[]string{"rack"}, nodes[:2]}, "fabric": {[]string{"fabric"}, nodes}, "local": {[]string{"local"}, nodes[:1]},
			"fabric-and-rack": {[]string{"fabric", "rack"}, nodes[:2]}, "rack-and-fabric": {[]string{"rack", "fabric"}, nodes[:2]},
		} {
			var requests []devices.Request
			for _, name := range of.devices {
				requests = append(requests, devices.Request{Name: name, Device: fixture.SubRequestFor(sim, name).Device})
			}
			pods.CreateWithClaimOnNode(ctx, e, claim, nodes[0], devices.NewDeviceClaim(requests))
			pods.WaitForScheduled(ctx, e, claim)
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, nodes)).To(gomega.Equal(of.nodes), "the allocation of claim %s should select the nodes of the slices of its devices", claim)
		}
		pods.CreateUsingClaims(ctx, e, "rack-too", pods.Options{Node: nodes[1]}, "rack")
		pods.CreateUsingClaims(ctx, e, "fabric-too", pods.Options{Node: nodes[2]}, "fabric")
		pods.WaitForScheduled(ctx, e, "rack-too", "fabric-too")
		pods.CreateUsingClaims(ctx, e, "rack-elsewhere", pods.Options{Node: nodes[2]}, "rack")
		pods.CreateUsingClaims(ctx, e, "both-elsewhere", pods.Options{Node: nodes[2]}, "fabric-and-rack")
		pods.CreateUsingClaims(ctx, e, "local-elsewhere", pods.Options{Node: nodes[1]}, "local")
		pods.WaitForAllUnschedulable(ctx, e, "the allocations of their claims do not select their nodes", "rack-elsewhere", "both-elsewhere", "local-elsewhere")
	},
}
