// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// classicDriverSharesNetworkDevices starts a driver with two devices for two connected nodes. It gets claims
// allocated for each of them, and a third one when the first is deleted.
var classicDriverSharesNetworkDevices = suite.Spec{
	ID:           "classic-driver-shares-network-devices",
	Description:  "Devices that are attached to a network are given to claims for any connected node, each of them once. When one is free, it is given to a claim for another node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-network-attached"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.StartDriver(ctx, e, 3, operations.ClassicController{NetworkDevices: 2}, rackOf(0), func(node int) map[string]string { return rackOf(node / 2) })
		connected := d.Nodes[:2]
		for i, claim := range []string{"first", "second"} {
			d.CreateClaims(ctx, claim)
			d.Ask(ctx, d.CreateUnscheduledPod(ctx, claim, claim), connected[i])
			d.WaitForClaim(ctx, claim, "the devices can be used on all connected nodes", d.AvailableOn(ctx, connected...))
			d.SelectNode(ctx, claim, "") // The driver would allocate the claim again.
		}
		d.CreateClaims(ctx, "third")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "third", "third"), "", d.Nodes...)
		d.WaitForAnswers(ctx, "third", 1, d.Nodes)
		d.Reserve(ctx, "first")
		d.DeleteClaim(ctx, "first")
		d.WaitForClaimRemoved(ctx, "first", "no pod uses it")
		d.WaitForAnswers(ctx, "third", 1, d.Nodes[2:])
		d.SelectNode(ctx, "third", connected[1])
		d.WaitForClaim(ctx, "third", "a device is free", d.AvailableOn(ctx, connected...))
	},
}
