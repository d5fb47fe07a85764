// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostPodsStayOnNodesOfDevice allocates a device of two of four hosts to
// a pod on the last host. Two more pods use the same claim, and each of the
// pods needs a node of its own.
var multiHostPodsStayOnNodesOfDevice = suite.Spec{
	ID:           "multi-host-pods-stay-on-nodes-of-device",
	Description:  "Pods that share a claim for a device of two nodes are scheduled to these nodes, including the node of the first pod, and further pods to no other node.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-pods-stay-on-the-devices-nodes", "4815-pods-share-a-multi-host-device"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "4x4")
		first := pods.CreateSharingClaim(ctx, e, "pair", g.withShape("2x4"), 1, pods.Options{Node: g.Names[3]})
		pods.WaitForScheduled(ctx, e, first[0])

		apart := pods.Options{Apart: true}
		pods.CreateUsingClaims(ctx, e, "second", apart, "pair")
		pods.WaitForScheduled(ctx, e, "second")
		gomega.Expect(pods.GetNode(ctx, e, "second")).To(gomega.Equal(g.Names[2]), "the only 2x4 with host 3 has hosts 2 and 3")

		pods.CreateUsingClaims(ctx, e, "third", apart, "pair")
		pods.WaitForUnschedulable(ctx, e, "third", "both nodes of its device have a pod of the claim, and the other nodes do not have the device")
	},
}
