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

// classicGeneratedClaimIsAwaited creates a pod with two claims of a template, plays their
// driver, and deletes the pod.
var classicGeneratedClaimIsAwaited = suite.Spec{
	ID:           "classic-generated-claim-is-awaited",
	Description:  "Claims that are generated from templates for a pod are allocated as others are, and each is removed with the pod and the finalizer of its driver.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-generated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		gomega.Expect(c.TryCreateTemplate(ctx, "template", c.Driver("a"))).To(gomega.Succeed())
		pod := c.CreatePodOfTemplates(ctx, "pod", "template", "generated", "generated-2")
		names := c.WaitForGeneratedClaims(ctx, "pod", "generated", "generated-2")
		c.WaitForContext(ctx, "pod", "the scheduler should ask the driver", func(classic.Context) error { return nil })
		expectNoneSelected(ctx, e, c, "the driver has not answered")
		c.Answer(ctx, "pod", classic.Answer{Name: "generated-2", UnsuitableNodes: c.Nodes[:1]}, classic.Answer{Name: "generated"})
		node := c.WaitForSelectedNode(ctx, "pod", "the driver has answered about both claims")
		gomega.Expect(node).To(gomega.Equal(c.Nodes[1]), "the other node is unsuitable for one of the claims")
		for _, claim := range names {
			c.Allocate(ctx, claim, classic.AllocationOn(c.Driver("a"), node), pod)
		}
		c.WaitForBound(ctx, "pod", "its claims are allocated")
		pods.Delete(ctx, e, "pod")
		for _, claim := range names {
			c.WaitForClaim(ctx, claim, "the pod of the claim is gone", askedToDeallocate)
			c.Deallocate(ctx, claim)
			c.WaitForClaimRemoved(ctx, claim, "the pod of the claim is gone, and its driver has deallocated it")
		}
	},
}
