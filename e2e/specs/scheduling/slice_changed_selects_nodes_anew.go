// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceChangedSelectsNodesAnew publishes a slice for the nodes of a zone, and allocates one of
// its devices. Then it changes the zone in place. When the scheduler has observed that, a pod
// in the other zone requests a device.
var sliceChangedSelectsNodesAnew = suite.Spec{
	ID:           "slice-changed-selects-nodes-anew",
	Description:  "When the node selector of a ResourceSlice is changed, its devices are allocated for pods on the nodes that it selects then, and not on the former ones. What is allocated keeps the nodes that it had.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-selected-nodes-as-they-are"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2, func(i int, node *corev1.Node) { node.Labels[zone] = []string{"a", "b"}[i] })
		sim.CreatePool(ctx, simulated.Pool{Name: "rack", Selector: inZone("a")}, fixture.Devices("card", "disk", "tape"))
		createPodOn(ctx, e, sim, 0, "before", "card")
		pods.WaitForScheduled(ctx, e, "before")
		sim.SelectNodes(ctx, "rack", inZone("b"))
		expect.PendingOnceSeen(ctx, e, "former", "the slice of its device selects the other zone now", func(pod string) {
			createPodOn(ctx, e, sim, 0, pod, "disk")
		})
		createPodOn(ctx, e, sim, 1, "after", "tape")
		pods.WaitForScheduled(ctx, e, "after")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "after", sim.Names)).To(gomega.Equal(sim.Names[1:]), "the allocation of claim after should select the nodes that the slice selects now")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "before", sim.Names)).To(gomega.Equal(sim.Names[:1]), "the allocation of claim before should select the nodes that the slice selected then")
	},
}
