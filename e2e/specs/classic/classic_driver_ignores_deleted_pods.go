// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverIgnoresDeletedPods creates a PodSchedulingContext of a pod that no
// longer exists, next to a new pod with its name, that of a pod that is being deleted, and
// then that of the new pod.
var classicDriverIgnoresDeletedPods = suite.Spec{
	ID:           "classic-driver-ignores-deleted-pods",
	Description:  "A driver allocates nothing because of the PodSchedulingContext of a deleted pod, also if the pod is not removed yet, or if another one has its name.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-orphaned-contexts"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 1)
		d.CreateClaims(ctx, "claim")
		pod := d.CreateUnscheduledPod(ctx, "pod", "claim")
		d.AskForDeletedPod(ctx, "pod", d.Nodes[0])
		d.ExpectClaimStays(ctx, "claim", "the pod of the PodSchedulingContext is deleted", classic.Pending)
		d.RemoveKept(ctx, "pod")
		d.CreateClaims(ctx, "second")
		d.Ask(ctx, d.CreateLeavingPod(ctx, "leaving", "second"), d.Nodes[0])
		d.ExpectClaimStays(ctx, "second", "the pod is being deleted", classic.Pending)
		d.Ask(ctx, pod, d.Nodes[0])
		d.WaitForClaim(ctx, "claim", "the pod exists", allocated)
	},
}
