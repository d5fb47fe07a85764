// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// classicDriverTellsNamespacesApart creates claims of the same name in two namespaces, which
// have a device each, and deletes one of them while another claim waits for a device.
var classicDriverTellsNamespacesApart = suite.Spec{
	ID:           "classic-driver-tells-namespaces-apart",
	Description:  "A driver does not confuse claims of the same name in two namespaces.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-namesakes"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 1)
		node, other := d.Nodes[0], d.In(namespaces.CreateOther(ctx, e))
		d.Hold(ctx, node, d.Names("claim", d.DevicesPerNode()-1)...)
		other.Hold(ctx, node, "claim-0")
		d.CreateClaims(ctx, "late")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "late", "late"), node)
		d.ExpectClaimStays(ctx, "late", "all devices of the selected node are in use", classic.Pending)
		other.Reserve(ctx, "claim-0")
		other.DeleteClaim(ctx, "claim-0")
		other.WaitForClaimRemoved(ctx, "claim-0", "no pod uses the claim")
		d.WaitForClaim(ctx, "late", "a claim in the other namespace is gone", d.AllocatedOn(node))
		d.ExpectClaimStays(ctx, "claim-0", "nobody has deleted the claim in this namespace", d.AllocatedOn(node))
	},
}
