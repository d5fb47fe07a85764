// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// reservationIsForOnePod replaces one of two pods that use a claim by another one of the
// same name, as a StatefulSet does. An admission policy rejects updates of the claim, so
// that it stays reserved for the former pod, and cannot be reserved for the new one. Then
// the policy ends.
var reservationIsForOnePod = suite.Spec{
	ID:           "reservation-is-for-one-pod",
	Description:  "A pod is not bound because a claim is reserved for a former pod of the same name. It is bound when the claim is reserved for itself.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-reserved-by-uid"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "shared", "card")
		pods.WaitForScheduled(ctx, e, "shared")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "shared")
		pods.WaitForScheduled(ctx, e, "pod")

		permit := claims.RejectStatusUpdates(ctx, e, "shared")
		pods.Delete(ctx, e, "pod")
		pod, err := pods.Create(ctx, e, "pod", pods.Options{}, claims.Get(ctx, e, "shared"))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForFailedBinding(ctx, e, "pod")
		pods.ExpectNotBound(ctx, e, "pod", "the claim is reserved for a former pod of the same name")
		permit(ctx)
		pods.WaitForScheduled(ctx, e, "pod")
		gomega.Expect(claims.Get(ctx, e, "shared").Status.ReservedFor).To(gomega.ContainElement(gomega.HaveField("UID", pod.UID)), "claim shared should be reserved for pod pod, which is on its node")
	},
}
