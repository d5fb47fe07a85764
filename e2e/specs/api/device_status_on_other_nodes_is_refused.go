// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// deviceStatusOnOtherNodesIsRefused writes the status of devices of two nodes, and
// of a device of all nodes, as an account that acts on one of the nodes, and as
// others with the same right that act on none and on another node.
var deviceStatusOnOtherNodesIsRefused = suite.Spec{
	ID:           "device-status-on-other-nodes-is-refused",
	Description:  "A user with the right to use the verb associated-node:update on resourceclaims/driver can write the status of devices only for claims that are allocated on the node on which the user acts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     authorizationFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Since:        "1.36",
	Requirements: []string{"4817-writers-of-a-node"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := allocateCards(ctx, e, "here", "there")
		sim.CreatePool(ctx, simulated.Pool{Name: e.UniqueName()}, fixture.Devices("everywhere"))
		pods.CreateWithRequests(ctx, e, "everywhere", fixture.RequestFor(sim, "everywhere"))
		pods.WaitForScheduled(ctx, e, "everywhere")
		of := func(name, node string) *env.Env {
			return actAs(ctx, e, account{Name: name, Node: node, Verbs: []string{"associated-node:update"}, Drivers: []string{sim.Driver}}, "here")
		}

		here := of("on-the-node", sim.Names[0])
		gomega.Expect(changeStatus(ctx, here, "here", report(claims.ReadyStatus(ctx, e, "here", "by its node")))).To(gomega.Succeed(), "the account should be able to write the status of a device on its node")
		expectRefused(ctx, here, "there", "status.devices", report(claims.ReadyStatus(ctx, e, "there", "by another node")), "account on-the-node")
		expectRefused(ctx, here, "everywhere", "status.devices", report(claims.ReadyStatus(ctx, e, "everywhere", "by one of all nodes")), "account on-the-node")
		for _, who := range []account{{Name: "on-no-node"}, {Name: "on-another-node", Node: sim.Names[1]}} {
			expectRefused(ctx, of(who.Name, who.Node), "here", "status.devices", report(claims.ReadyStatus(ctx, e, "here", "by "+who.Name)), "account "+who.Name)
		}
	},
}
