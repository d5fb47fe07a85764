// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindsToNodeSelectsTheNode publishes devices that are available on two nodes. Two
// of them bind to the node for which they are allocated, and one states that it does not. One that binds is
// in a pool of its own, which selects both nodes. Another claim
// has a device of either kind. Pods on different nodes use their claims, one after the
// other.
var bindsToNodeSelectsTheNode = suite.Spec{
	ID:           "binds-to-node-selects-the-node",
	Description:  "The allocation of a device with bindsToNode selects exactly the node that was chosen, before the pod is bound, and the claim cannot be used on other nodes. Without bindsToNode, it can be used on all nodes that have access to the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-binds-to-node"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		inventory := fabric("binds-0", "binds-1", "roams", "mixed-binds", "mixed-roams")
		inventory.Devices[0].BindsToNode, inventory.Devices[1].BindsToNode, inventory.Devices[3].BindsToNode = ptr.To(true), ptr.To(true), ptr.To(true)
		inventory.Devices[2].BindsToNode = ptr.To(false)
		sim.CreatePool(ctx, simulated.Pool{Name: e.UniqueName()}, inventory)
		both := corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: sim.Names}
		selecting := fabric("selected")
		selecting.Devices[0].BindsToNode = ptr.To(true)
		sim.CreatePool(ctx, simulated.Pool{Name: e.UniqueName() + "-selected", Selector: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{both}}},
		}}, selecting)
		for device, at := range map[string]int{"binds-0": 0, "binds-1": 1, "roams": 0, "selected": 1} {
			pods.CreateWithClaimOnNode(ctx, e, device, sim.Names[at], devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
			claims.WaitForAllocation(ctx, e, device, "its device is free")
			want := []string{sim.Names[at]}
			if device == "roams" {
				want = sim.Names
			}
			selected := claims.GetNodesOfAllocation(ctx, e, device, sim.Names)
			gomega.Expect(selected).To(gomega.Equal(want), "the allocation of device %s, for node %s, should select these nodes", device, sim.Names[at])
			reportReady(ctx, e, device)
		}
		mixed := []devices.Request{{Name: "roams", Device: fixture.RequestFor(sim, "mixed-roams")[0].Device}, {Name: "binds", Device: fixture.RequestFor(sim, "mixed-binds")[0].Device}}
		pods.CreateWithClaimOnNode(ctx, e, "mixed", sim.Names[1], devices.NewDeviceClaim(mixed))
		claims.WaitForAllocation(ctx, e, "mixed", "its devices are free")
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "mixed", sim.Names)).To(gomega.Equal(sim.Names[1:]), "the allocation of claim mixed should select the node to which one of its devices binds")
		reportReady(ctx, e, "mixed")
		pods.WaitForScheduled(ctx, e, "binds-0", "binds-1", "roams", "selected", "mixed")

		pods.CreateUsingClaims(ctx, e, "follows", pods.Options{Node: sim.Names[1]}, "roams")
		pods.CreateUsingClaims(ctx, e, "cannot-follow", pods.Options{Node: sim.Names[1]}, "binds-0")
		pods.WaitForScheduled(ctx, e, "follows")
		pods.WaitForUnschedulable(ctx, e, "cannot-follow", "the device of its claim is bound to another node")
	},
}
