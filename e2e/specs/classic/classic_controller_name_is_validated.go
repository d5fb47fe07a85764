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

// classicControllerNameIsValidated creates claims and a template with different controllers,
// changes that of a claim, and allocates it.
var classicControllerNameIsValidated = suite.Spec{
	ID:           "classic-controller-name-is-validated",
	Description:  "The controller of a claim, and the one that has allocated it, are names of drivers. That of a claim is stored as it was written, and cannot be changed.",
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
		expectInvalid(c.TryCreateTemplate(ctx, "wrong", "Not_A_Driver"), "spec.spec.controller", "a template whose controller is no name of a driver")
		expectInvalid(c.TryChangeController(ctx, "claim", c.Driver("b")), "field is immutable", "another controller")
		by := func(driver string) error {
			return c.TryStatus(ctx, "claim", map[string]any{"allocation": classic.AllocationOn(driver, c.Nodes...)})
		}
		expectInvalid(by("Not_A_Driver"), "status.allocation.controller", "an allocation by a controller that is no name of a driver")
		gomega.Expect(by(c.Driver("a"))).To(gomega.Succeed())
	},
}
