// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverGivesAllRequestedDevices asks for a claim with as many requests as a node has devices, while one
// device of the other node is in use, and then for another claim.
var classicDriverGivesAllRequestedDevices = suite.Spec{
	ID:           "classic-driver-gives-all-requested-devices",
	Description:  "A driver gives a claim with several requests a device of its own for each of them, or excludes the node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-all-requests"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		d.Hold(ctx, d.Nodes[0], "user")
		d.CreateClaimOfRequests(ctx, "whole", d.DevicesPerNode())
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "whole", "whole"), "", d.Nodes...)
		d.WaitForAnswers(ctx, "whole", 1, d.Nodes[:1])
		d.SelectNode(ctx, "whole", d.Nodes[1])
		d.WaitForClaim(ctx, "whole", "the selected node has a device for each request", d.HasDevices(d.Nodes[1], d.DevicesPerNode()))
		d.CreateClaims(ctx, "late")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "late", "late"), "", d.Nodes...)
		d.WaitForAnswers(ctx, "late", 1, d.Nodes[1:])
	},
}
