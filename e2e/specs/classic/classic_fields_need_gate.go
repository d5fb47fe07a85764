// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicFieldsNeedGate creates a claim and a class with the fields of the feature in a
// cluster without it, and writes those in the status of the claim.
var classicFieldsNeedGate = suite.Spec{
	ID:             "classic-fields-need-gate",
	Description:    "Without the feature, the API server drops its fields of new objects, and in the status of claims that do not have it.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.ClassicAPI},
	AbsentFeatures: classicFeatures,
	Component:      env.Cluster,
	Needs:          []env.Need{env.NeedsSimulatedNodes},
	Requirements:   []string{"3063-fields-dropped"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		claim, err := c.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claim.Spec.Controller).To(gomega.BeEmpty(), "spec.controller of a new claim should be dropped")
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), c.Nodes...))
		gomega.Expect(c.TryStatus(ctx, "claim", map[string]any{"deallocationRequested": true})).To(gomega.Succeed())
		claim, err = c.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claim.Status.Allocation.Controller).To(gomega.BeEmpty(), "status.allocation.controller of such a claim should be dropped")
		gomega.Expect(claim.Status.DeallocationRequested).To(gomega.BeFalse(), "status.deallocationRequested of such a claim should be dropped")
		class, err := c.GetClass(ctx, c.CreateClass(ctx, "limited", rackOf(0)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(class.Spec.SuitableNodes).To(gomega.BeNil(), "spec.suitableNodes of a new class should be dropped")
	},
}
