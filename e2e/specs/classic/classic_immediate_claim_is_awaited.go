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

// classicImmediateClaimIsAwaited creates a pod with a claim that is allocated
// immediately, and plays a driver that does so late.
var classicImmediateClaimIsAwaited = suite.Spec{
	ID:           "classic-immediate-claim-is-awaited",
	Description:  "A pod with a claim that is allocated immediately waits for that without asking for a node, and runs where the claim is available.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-immediate-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.CreateEarlier(ctx, e, 2)
		c.CreateClaim(ctx, "claim", classic.Immediate)
		c.CreatePod(ctx, "pod", "claim")
		c.ExpectNoContext(ctx, "pod", "its claim does not depend on the pod")
		c.ExpectNotBound(ctx, "pod", "its claim is not allocated")
		c.Allocate(ctx, "claim", c.Nodes[1])
		gomega.Expect(c.WaitForBound(ctx, "pod", "its claim is allocated")).To(gomega.Equal(c.Nodes[1]), "the claim is available on this node only")
	},
}
