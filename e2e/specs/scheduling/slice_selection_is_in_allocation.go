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
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceSelectionIsInAllocation publishes a device for the nodes of a zone, one for
// all nodes, and one for a single node. Pods on other nodes use the claims after
// that.
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
		sim := simulated.CreateNodes(ctx, e, 3, func(i int, node *corev1.Node) { node.Labels[zone] = []string{"a", "a", "b"}[i] })
		nodes := sim.Names
		sim.CreatePool(ctx, simulated.Pool{Name: "rack", Selector: inZone("a")}, fixture.Devices("rack"))
		sim.CreatePool(ctx, simulated.Pool{Name: "fabric"}, fixture.Devices("fabric"))
		sim.CreatePool(ctx, simulated.Pool{Node: nodes[0]}, fixture.Devices("local"))

		for claim, want := range map[string][]string{"rack": nodes[:2], "fabric": nodes, "local": nodes[:1]} {
			createPodOn(ctx, e, sim, 0, claim, claim)
			pods.WaitForScheduled(ctx, e, claim)
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, nodes)).To(gomega.Equal(want), "the allocation of claim %s should select the nodes of its slice", claim)
		}
		pods.CreateUsingClaims(ctx, e, "rack-too", pods.Options{Node: nodes[1]}, "rack")
		pods.CreateUsingClaims(ctx, e, "fabric-too", pods.Options{Node: nodes[2]}, "fabric")
		pods.WaitForScheduled(ctx, e, "rack-too", "fabric-too")
		pods.CreateUsingClaims(ctx, e, "rack-elsewhere", pods.Options{Node: nodes[2]}, "rack")
		pods.CreateUsingClaims(ctx, e, "local-elsewhere", pods.Options{Node: nodes[1]}, "local")
		pods.WaitForAllUnschedulable(ctx, e, "the allocations of their claims do not select their nodes", "rack-elsewhere", "local-elsewhere")
	},
}
