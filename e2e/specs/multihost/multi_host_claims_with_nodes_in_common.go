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

// multiHostClaimsWithNodesInCommon publishes three devices, each on two of
// four neighbouring nodes. One pod uses the claims for two devices that have a
// node in common, another one the claims for two that have none.
var multiHostClaimsWithNodesInCommon = suite.Spec{
	ID:           "multi-host-claims-with-nodes-in-common",
	Description:  "A pod with claims for two devices of several nodes is scheduled to a node that has both, and is pending if there is none. Each allocation selects the nodes of its own device.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-claims-with-nodes-in-common", "4815-allocation-selects-the-devices-nodes"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 4)
		nodes := sim.Names
		inventory := fixture.Devices("left", "middle", "right")
		for i := range inventory.Devices {
			inventory.Devices[i].NodeSelector = nodeSelector(corev1.LabelHostname, nodes[i], nodes[i+1])
		}
		sim.CreatePool(ctx, simulated.Pool{Name: "pool"}, inventory)
		for _, name := range []string{"left", "middle", "right"} {
			_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(fixture.RequestFor(sim, name)))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}

		pods.CreateUsingClaims(ctx, e, "nowhere", pods.Options{}, "left", "right")
		pods.WaitForUnschedulable(ctx, e, "nowhere", "no node has both devices")
		pods.CreateUsingClaims(ctx, e, "between", pods.Options{}, "left", "middle")
		pods.WaitForScheduled(ctx, e, "between")
		gomega.Expect(pods.GetNode(ctx, e, "between")).To(gomega.Equal(nodes[1]), "it is the only node that has both devices")
		for claim, want := range map[string][]string{"left": nodes[:2], "middle": nodes[1:3]} {
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, claim, nodes)).To(gomega.Equal(want), "the allocation of claim %s should select the nodes of its own device", claim)
		}
		pods.CreateUsingClaims(ctx, e, "only-right", pods.Options{}, "right")
		pods.WaitForScheduled(ctx, e, "only-right")
		pods.WaitForUnschedulable(ctx, e, "nowhere", "its claims are allocated by now, to devices without a node in common")
	},
}
