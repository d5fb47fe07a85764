// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicSeveralClaimsWaitForDrivers creates a pod with claims of two drivers, and
// lets one after the other answer.
var classicSeveralClaimsWaitForDrivers = suite.Spec{
	ID:           "classic-several-claims-wait-for-drivers",
	Description:  "If several claims of a pod are pending, no node is selected before all of their drivers have provided information.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-waits-for-all-drivers"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		createPodOfTwoDrivers(ctx, c)
		expectNoneSelected(ctx, e, c, "no driver has answered")
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0)})
		expectNoneSelected(ctx, e, c, "one driver has not answered")
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0)}, classic.Answer{Name: pods.ClaimOf(1)})
		c.WaitForSelectedNode(ctx, "pod", "all drivers have answered")
	},
}
