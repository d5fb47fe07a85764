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

// reservationOfPodsEnds lets two pods use a claim, and reserves it for an object of a third
// party, too. Then it deletes the pods one after the other, and deallocates the claim.
var reservationOfPodsEnds = suite.Spec{
	ID:           "reservation-of-pods-ends",
	Description:  "A claim does not stay reserved for a pod that was deleted because it is also reserved for a consumer that is no pod. It stays reserved for its other consumers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Since:        "1.36", // Earlier controllers do not look at the pods of such a claim.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-pods-beside-other-consumers"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "gone", "card")
		pods.WaitForScheduled(ctx, e, "gone")
		pods.CreateUsingClaims(ctx, e, "stays", pods.Options{Node: sim.Names[0]}, "gone")
		pods.WaitForScheduled(ctx, e, "stays")
		e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return freeIfExists(ctx, e, "gone") })
		gomega.Expect(claims.ReserveForOther(ctx, e, "gone", job)).To(gomega.Succeed())
		pods.Delete(ctx, e, "gone")
		claims.WaitForConsumers(ctx, e, "gone", "pod gone was deleted, and pod stays and job job use the claim", 2)
		reserved := claims.Get(ctx, e, "gone").Status.ReservedFor
		gomega.Expect(reserved).To(gomega.ConsistOf(gomega.HaveField("Name", "stays"), gomega.Equal(job)), "claim gone should stay reserved for those that use it")
		pods.Delete(ctx, e, "stays")
		gomega.Expect(claims.Deallocate(ctx, e, "gone")).To(gomega.Succeed())
	},
}
