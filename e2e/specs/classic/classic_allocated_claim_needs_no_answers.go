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

// classicAllocatedClaimNeedsNoAnswers allocates one of two claims of a pod, and reports the
// selected node as unsuitable for it, as a driver may whose devices are all in use then.
var classicAllocatedClaimNeedsNoAnswers = suite.Spec{
	ID:           "classic-allocated-claim-needs-no-answers",
	Description:  "Unsuitable nodes of a claim do not matter any more when the claim is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-answers-about-allocated"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 2)
		pod := createPodOfTwoDrivers(ctx, c)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0)}, classic.Answer{Name: pods.ClaimOf(1)})
		node := c.WaitForSelectedNode(ctx, "pod", "all drivers have answered")
		c.Allocate(ctx, "claim-a", classic.AllocationOn(c.Driver("a"), node), pod)
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: []string{node}}, classic.Answer{Name: pods.ClaimOf(1)})
		c.ExpectClaimStays(ctx, "claim-a", "the pod can use it on its node", staysAllocated)
		c.Allocate(ctx, "claim-b", classic.AllocationOn(c.Driver("b"), node), pod)
		gomega.Expect(c.WaitForBound(ctx, "pod", "both claims are allocated")).To(gomega.Equal(node))
	},
}
