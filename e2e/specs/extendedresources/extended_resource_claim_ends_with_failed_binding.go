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
		createPod(ctx, e, "failing", simulated.ExtendedResource(e, "card"))
		pods.WaitForFailedBinding(ctx, e, "failing")
		waitForNoClaim(ctx, e, "failing")
		permit(ctx)
		waitForDevices(ctx, e, "failing", "it is the only one", "card")
		expectOneClaim(ctx, e, "failing")
	},
}

// waitForNoClaim waits until a pod that cannot be bound has owned no claim for a while, or
// for the third time and longer than it owned one. Each attempt to bind it creates one, and
// the scheduler may try again soon, however long it waits. A scheduler that deletes the claim
// only when it tries again leaves a gap, too, but the pod owns a claim most of the time.
func waitForNoClaim(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	var ownership ownership
	gomega.Eventually(ctx, func(ctx context.Context) error {
		owned := pods.ListOwnedClaims(ctx, e, pod)
		ownership.add(time.Now(), len(owned) > 0)
		switch {
		case len(owned) > 0:
			return fmt.Errorf("claim %s exists", owned[0].Name)
		case !ownership.ended(e.Timeouts.Stable):
			return fmt.Errorf("there has been none for %s only", ownership.absent)
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the claim for the extended resources of a pod that could not be bound should be deleted")
}

// ownership is how long a pod has owned a claim, and how long none.
type ownership struct {
	owned, without time.Duration
	// absent is how long it has owned none without interruption, for which time, counted
	// from 1.
	absent time.Duration
	times  int
	// last is the last observation.
	last time.Time
	had  bool
}

// add adds an observation. The time since the one before counts for what that one saw.
func (o *ownership) add(now time.Time, has bool) {
	if since := now.Sub(o.last); !o.last.IsZero() && o.had {
		o.owned += since
	} else if !o.last.IsZero() {
		o.without += since
		o.absent += since
	}
	if !has && (o.had || o.last.IsZero()) {
		o.absent = 0
		o.times++
	}
	o.last, o.had = now, has
}

// ended reports whether the claims of failed attempts are deleted, as far as is known.
func (o *ownership) ended(enough time.Duration) bool {
	return !o.had && (o.absent >= enough || o.times >= 3 && o.without > o.owned)
}
