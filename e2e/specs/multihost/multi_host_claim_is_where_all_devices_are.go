// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

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

// multiHostClaimIsWhereAllDevicesAre creates two claims for two devices each:
// devices that have one of three nodes in common, and a device of three nodes
// with one that is local to a node. Further pods use the claims on this node
// and on another one.
var multiHostClaimIsWhereAllDevicesAre = suite.Spec{
	ID:           "multi-host-claim-is-where-all-devices-are",
	Description:  "The node selector of a claim with several devices selects the nodes that have all of them: one node if a device is local to a node.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-allocation-selects-the-devices-nodes", "4815-device-on-its-node", "4815-device-on-selected-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 3)
		nodes := sim.Names
		inventory := fixture.Devices("left", "right", "wide", "local")
		inventory.Devices[0].NodeSelector = nodeSelector(corev1.LabelHostname, nodes[0], nodes[1])
		inventory.Devices[1].NodeSelector = nodeSelector(corev1.LabelHostname, nodes[1], nodes[2])
		inventory.Devices[2].NodeSelector = nodeSelector(corev1.LabelHostname, nodes...)
		inventory.Devices[3].NodeName = &nodes[2]
		sim.CreatePool(ctx, simulated.Pool{Name: "pool"}, inventory)

		device := func(name string) devices.Request {
			request := fixture.RequestFor(sim, name)[0]
			request.Name = name
			return request
		}
		for claim, want := range map[string]struct {
			requests        []devices.Request
			node, elsewhere string
		}{
			"both":  {[]devices.Request{device("left"), device("right")}, nodes[1], nodes[0]},
			"mixed": {[]devices.Request{device("wide"), device("local")}, nodes[2], nodes[1]},
		} {
			pods.CreateWithRequests(ctx, e, claim, want.requests)
			pods.WaitForScheduled(ctx, e, claim)
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, nodes)).To(gomega.Equal([]string{want.node}), "the allocation of claim %s should select the node that has both devices", claim)
			pods.CreateUsingClaims(ctx, e, claim+"-elsewhere", pods.Options{Node: want.elsewhere}, claim)
			pods.CreateUsingClaims(ctx, e, claim+"-joined", pods.Options{Node: want.node}, claim)
		}
		pods.WaitForAllUnschedulable(ctx, e, "their nodes have one of the two devices of their claim", "both-elsewhere", "mixed-elsewhere")
		pods.WaitForScheduled(ctx, e, "both-joined", "mixed-joined")
	},
}
