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

// classicMixesWithStructuredClaims publishes devices on one of two nodes and plays a
// driver. It creates pods with a claim that the scheduler allocates and one of the
// driver, of which either is allocated already.
var classicMixesWithStructuredClaims = suite.Spec{
	ID:           "classic-mixes-with-structured-claims",
	Description:  "A pod can use claims that the scheduler allocates together with those of a driver. Both must be available on its node. Those of the scheduler are free without a driver when no pod uses them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-mixes-with-structured"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		here := c.Nodes[1]
		class := c.PublishDevices(ctx, here, 2)
		for _, claim := range []string{"structured", "pending"} {
			c.CreateClaim(ctx, claim, "", class)
		}
		c.CreateClaim(ctx, "classic", c.Driver("a"), c.Class)
		c.CreatePod(ctx, "first", "structured")
		gomega.Expect(c.WaitForBound(ctx, "first", "the scheduler allocates the claim")).To(gomega.Equal(here), "the node with the devices")

		second := c.CreatePod(ctx, "second", "structured", "classic")
		node := c.WaitForSelectedNode(ctx, "second", "one claim is pending")
		gomega.Expect(node).To(gomega.Equal(here), "the other claim of the pod is available on this node only")
		c.Allocate(ctx, "classic", classic.AllocationOn(c.Driver("a"), here), second)
		c.WaitForBound(ctx, "second", "both claims are allocated")

		c.CreatePod(ctx, "third", "classic", "pending")
		gomega.Expect(c.WaitForBound(ctx, "third", "the scheduler allocates the pending claim")).To(gomega.Equal(here), "the claim of the driver is available on this node only")
		c.WaitForClaim(ctx, "pending", "a pod that uses it is bound", allocated)
		pods.Delete(ctx, e, "first", "second", "third")
		for _, claim := range []string{"structured", "pending"} {
			c.WaitForClaim(ctx, claim, "no pod uses it any more, and no driver has allocated it", deallocated)
		}
	},
}
