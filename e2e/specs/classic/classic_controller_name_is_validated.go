// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicControllerNameIsValidated creates claims with different controllers.
var classicControllerNameIsValidated = suite.Spec{
	ID:           "classic-controller-name-is-validated",
	Description:  "The controller of a claim is the name of a driver. It is stored as it was written.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-controller-field"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		expectInvalid(c.TryCreateClaim(ctx, "wrong", classic.ClaimSpec("Not_A_Driver", c.Class)), "spec.controller", "a controller that is no name of a driver")
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		claim, err := c.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claim.Spec.Controller).To(gomega.Equal(c.Driver("a")))
	},
}
