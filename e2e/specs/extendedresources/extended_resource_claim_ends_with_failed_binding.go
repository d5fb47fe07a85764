// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceClaimEndsWithFailedBinding creates a pod for an extended resource
// that an admission policy does not let be bound. Its claim must be deleted while
// the pod exists. Without the policy, the pod gets the device by another claim.
var extendedResourceClaimEndsWithFailedBinding = suite.Spec{
	ID:           "extended-resource-claim-ends-with-failed-binding",
	Description:  "When a pod cannot be bound, the claim that the scheduler created for its extended resources is deleted, although the pod exists. When it is bound in the end, its status names the claim that it has then.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-deleted-after-failure", "5004-retried-after-failure"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		permit := claims.RejectBinding(ctx, e, "failing")
		created := time.Now()
		createPod(ctx, e, "failing", simulated.ExtendedResource(e, "card"))
		pods.WaitForFailedBinding(ctx, e, "failing")
		waitForNoClaim(ctx, e, "failing", created)
		permit(ctx)
		waitForDevices(ctx, e, "failing", "it is the only one", "card")
		expectOneClaim(ctx, e, "failing")
	},
}

// waitForNoClaim waits until a pod that was created at a time and cannot be bound owns no
// claim, as far as [ownership] can tell. Each attempt to bind it creates a claim, and the
// scheduler may try again soon, however long it waits.
func waitForNoClaim(ctx context.Context, e *env.Env, pod string, created time.Time) {
	ginkgo.GinkgoHelper()
	ownership := ownership{last: created}
	gomega.Eventually(ctx, func(ctx context.Context) error {
		owned := pods.ListOwnedClaims(ctx, e, pod)
		ownership.add(time.Now(), len(owned) > 0)
		switch {
		case len(owned) > 0:
			return fmt.Errorf("claim %s exists", owned[0].Name)
		case !ownership.ended(e.Timeouts.Stable):
			return fmt.Errorf("there has been none for %s only, after one for %s", ownership.absent, ownership.present)
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the claim for the extended resources of a pod that could not be bound should be deleted")
}
