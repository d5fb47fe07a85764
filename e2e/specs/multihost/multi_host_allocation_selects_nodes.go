// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"
	"strconv"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// multiHostAllocationSelectsNodes publishes three devices in one slice, after many of the
// last node: one with a node name, one with a node selector, and one for all nodes. Pods
// request them on the nodes that have them, and on others.
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
		others := fixture.Devices("named", "selected", "everywhere").Devices
		others[0].NodeName = &nodes[1]
		others[1].NodeSelector = nodeSelector(half, "1")
		others[2].AllNodes = ptr.To(true)
		inventory.Devices = append(inventory.Devices, others...)
		sim.CreatePool(ctx, simulated.Pool{Name: "pool"}, inventory)

		wrong := pods.CreateSharingClaim(ctx, e, "named-elsewhere", fixture.RequestFor(sim, "named")[0].Device, 1, pods.Options{Node: nodes[0]})
		wrong = append(wrong, pods.CreateSharingClaim(ctx, e, "selected-elsewhere", fixture.RequestFor(sim, "selected")[0].Device, 1, pods.Options{Node: nodes[1]})...)
		pods.WaitForAllUnschedulable(ctx, e, "their nodes do not have the devices", wrong...)

		for name, want := range map[string][]string{"named": {nodes[1]}, "selected": {nodes[2], nodes[3]}, "everywhere": nodes} {
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
