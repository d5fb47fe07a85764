// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessFromTemplate creates a pod with the only device, and then one whose
// claim is generated from a template with admin access to this device.
var adminAccessFromTemplate = suite.Spec{
	ID:           "admin-access-from-template",
	Description:  "A claim that is generated from a template has admin access if the template has it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Cluster,
	Needs:        adminNeeds,
	Requirements: []string{"5018-claims-from-templates"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createUsers(ctx, e, sim, "card")
		claims.CreateTemplate(ctx, e, "template", withAdminAccess(fixture.RequestFor(sim, "card")))
		pods.CreateFromClaimTemplate(ctx, e, "monitor", "template", "")
		pods.WaitForScheduled(ctx, e, "monitor")
	},
}
