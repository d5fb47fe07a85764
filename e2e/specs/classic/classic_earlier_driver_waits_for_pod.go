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

// classicEarlierDriverWaitsForPod creates a claim that waits for a pod, and then a pod for
// one of two nodes with devices.
var classicEarlierDriverWaitsForPod = suite.Spec{
	ID:           "classic-earlier-driver-waits-for-pod",
	Description:  "A driver allocates a claim with delayed allocation when a node is selected for a pod, for this node, and the pod runs there.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicControllers},
	Requirements: []string{"3063-waits-for-first-consumer"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.CreateEarlierDriver(ctx, e, 2, 1, nil)
		d.CreateClaim(ctx, "reference", classic.Immediate)
		d.CreateClaim(ctx, "claim", classic.Delayed)
		d.WaitForClaim(ctx, "reference", "the driver runs", d.Allocated)
		d.ExpectClaimStays(ctx, "claim", "no pod uses it", pending)
		d.DeleteClaim(ctx, "reference")
		d.WaitForClaimRemoved(ctx, "reference", "no pod uses the claim")
		d.CreatePod(ctx, "pod", "claim", d.Nodes[1])
		gomega.Expect(d.WaitForBound(ctx, "pod", "the driver has a device on the node of the pod")).To(gomega.Equal(d.Nodes[1]))
		d.ExpectClaimStays(ctx, "claim", "it was allocated for the pod", d.Allocated)
	},
}
