// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"
	"strconv"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// multiHostAllocationSelectsNodes publishes five devices in one slice, after many of the
// last node: one with a node name, three with different node selectors, and one for all nodes.
// Pods request them on the nodes that have them, and on others.
var multiHostAllocationSelectsNodes = suite.Spec{
	ID:           "multi-host-allocation-selects-nodes",
	Description:  "A device of a ResourceSlice with perDeviceNodeSelection is available where the device states: on a node by name, on nodes by selector, or on all nodes. The allocation has this node selector.",
	Profile:      profile,
	Level:        suite.Core,
	Smoke:        true,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-allocation-selects-the-devices-nodes", "4815-device-on-its-node", "4815-device-on-selected-nodes", "4815-device-on-all-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		const half = "draconform.dev/half"
		sim := simulated.CreateNodes(ctx, e, 4, func(number int, node *corev1.Node) { node.Labels[half] = strconv.Itoa(number / 2) })
		nodes := sim.Names
		inventory := &simulated.Inventory{}
		for i := range 64 {
			inventory.Devices = append(inventory.Devices, fixture.Devices(fmt.Sprintf("last-%d", i)).Devices[0])
			inventory.Devices[i].NodeName = &nodes[3]
		}
		others := fixture.Devices("named", "selected", "everywhere", "by-field", "by-two").Devices
		others[0].NodeName = &nodes[1]
		others[1].NodeSelector = nodeSelector(half, "1")
		others[2].AllNodes = ptr.To(true)
		others[3].NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: nodes[2:3]}},
		}}}
		others[4].NodeSelector = nodeSelector(half, "1")
		term := &others[4].NodeSelector.NodeSelectorTerms[0]
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpNotIn, Values: nodes[3:]})
		inventory.Devices = append(inventory.Devices, others...)
		sim.CreatePool(ctx, simulated.Pool{Name: "pool"}, inventory)

		var wrong []string
		for name, elsewhere := range map[string]string{"named": nodes[0], "selected": nodes[1], "by-field": nodes[0], "by-two": nodes[3]} {
			wrong = append(wrong, pods.CreateSharingClaim(ctx, e, name+"-elsewhere", fixture.RequestFor(sim, name)[0].Device, 1, pods.Options{Node: elsewhere})...)
		}
		pods.WaitForAllUnschedulable(ctx, e, "their nodes do not have the devices", wrong...)

		for name, want := range map[string][]string{"named": {nodes[1]}, "selected": {nodes[2], nodes[3]}, "everywhere": nodes, "by-field": {nodes[2]}, "by-two": {nodes[2]}} {
			pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
			pods.WaitForScheduled(ctx, e, name)
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, name, nodes)).To(gomega.Equal(want), "the allocation of claim %s should select the nodes of its device", name)
			for i, node := range want {
				user := fmt.Sprintf("%s-%d", name, i)
				pods.CreateUsingClaims(ctx, e, user, pods.Options{Node: node}, name)
				pods.WaitForScheduled(ctx, e, user)
			}
		}
	},
}
