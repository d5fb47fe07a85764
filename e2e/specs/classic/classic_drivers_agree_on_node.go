// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicDriversAgreeOnNode creates a pod with claims of two drivers, which exclude
// different nodes of three.
var classicDriversAgreeOnNode = suite.Spec{
	ID:           "classic-drivers-agree-on-node",
	Description:  "A node is selected that none of the drivers of a pod has reported as unsuitable. The pod is bound when the last of them has allocated its claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-drivers-agree"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 3)
		pod := createPodOfTwoDrivers(ctx, c)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: c.Nodes[2:]}, classic.Answer{Name: pods.ClaimOf(1), UnsuitableNodes: c.Nodes[:1]})
		node := c.WaitForSelectedNode(ctx, "pod", "all drivers have answered")
		gomega.Expect(node).To(gomega.Equal(c.Nodes[1]), "the only node that suits both drivers should be selected")
		c.Allocate(ctx, "claim-a", classic.AllocationOn(c.Driver("a"), node), pod)
		c.ExpectNotBound(ctx, "pod", "one of its claims is not allocated")
		c.Allocate(ctx, "claim-b", classic.AllocationOn(c.Driver("b"), node), pod)
		gomega.Expect(c.WaitForBound(ctx, "pod", "both claims are allocated")).To(gomega.Equal(node))
	},
}
