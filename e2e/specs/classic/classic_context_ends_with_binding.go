// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicContextEndsWithBinding allocates the claim of a pod and waits until its
// PodSchedulingContext is gone.
var classicContextEndsWithBinding = suite.Spec{
	ID:           "classic-context-ends-with-binding",
	Description:  "The PodSchedulingContext of a pod is deleted when the pod is bound.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-context-deleted"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		pod := createWithAllocatedClaim(ctx, c)
		c.WaitForBound(ctx, pod.Name, "its claim is allocated and reserved")
		c.WaitForContextRemoved(ctx, pod.Name, "the PodSchedulingContext should be deleted after the pod is bound")
	},
}
