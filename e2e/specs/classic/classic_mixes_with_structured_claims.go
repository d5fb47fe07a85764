// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicMixesWithStructuredClaims publishes a device on one of two nodes, creates a
// pod with a claim that the scheduler allocates and one of a driver, and plays the
// driver.
var classicMixesWithStructuredClaims = suite.Spec{
	ID:           "classic-mixes-with-structured-claims",
	Description:  "A pod can use claims that the scheduler allocates together with those of a driver. Both must be available on its node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-mixes-with-structured"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		here := c.Nodes[1]
		class := c.PublishDevice(ctx, here)
		c.CreateClaim(ctx, "structured", "", class)
		c.CreateClaim(ctx, "classic", c.Driver("a"), c.Class)
		pod := c.CreatePod(ctx, "pod", "structured", "classic")
		c.WaitForContext(ctx, "pod", "the scheduler should ask the driver about the node with the device", func(found classic.Context) error {
			if asked := found.Spec.PotentialNodes; len(asked) != 1 || asked[0] != here {
				return fmt.Errorf("the potential nodes are %v, and should be %s only", asked, here)
			}
			return nil
		})
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(1)})
		c.WaitForContext(ctx, "pod", "the driver has answered", func(found classic.Context) error {
			if found.Spec.SelectedNode != here {
				return fmt.Errorf("the selected node is %q", found.Spec.SelectedNode)
			}
			return nil
		})
		c.Allocate(ctx, "classic", classic.AllocationOn(c.Driver("a"), here), pod)
		gomega.Expect(c.WaitForBound(ctx, "pod", "the driver has allocated its claim")).To(gomega.Equal(here), "the node of the pod")
		for _, claim := range []string{"structured", "classic"} {
			c.WaitForClaim(ctx, claim, "a pod that uses it is bound", allocated)
			c.WaitForClaim(ctx, claim, "a pod that uses it is bound", reservedFor(pod))
		}
	},
}
