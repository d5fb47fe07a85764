// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"
	"reflect"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicDriverKeepsAllocation plays the scheduler, selects a node for a pod with an
// allocated claim, and then another one for this pod, and for a second one.
var classicDriverKeepsAllocation = suite.Spec{
	ID:           "classic-driver-keeps-allocation",
	Description:  "A driver does not reallocate a claim because another node is selected, be it for the same or for another pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Driver,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsClassicAllocator},
	Requirements: []string{"3063-no-reallocation"},
	Body: func(ctx context.Context, e *env.Env) {
		d := classic.UseDriver(ctx, e, 2)
		d.CreateClaims(ctx, "claim")
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "pod", "claim"), d.Nodes[0])
		d.WaitForClaim(ctx, "claim", "a node is selected for the pod", allocated)
		before, err := d.GetClaim(ctx, "claim")
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		kept := func(claim classic.Claim) error {
			if !reflect.DeepEqual(claim.Status.Allocation, before.Status.Allocation) {
				return fmt.Errorf("the allocation is %+v, and was %+v", claim.Status.Allocation, before.Status.Allocation)
			}
			return nil
		}
		d.SelectNode(ctx, "pod", d.Nodes[1])
		d.ExpectClaimStays(ctx, "claim", "only the scheduler may ask for deallocation", kept)
		d.Ask(ctx, d.CreateUnscheduledPod(ctx, "second", "claim"), d.Nodes[1])
		d.ExpectClaimStays(ctx, "claim", "it is allocated for the first pod", kept)
	},
}
