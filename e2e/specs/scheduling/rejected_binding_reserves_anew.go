// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// rejectedBindingReservesAnew creates a pod that an admission policy does not let be bound.
// When the scheduler has reported the failure, so that it has reserved the claim and released
// it again, the policy ends. kube-controller-manager reserves claims of bound pods that are not
// reserved, so another policy keeps it from that.
var rejectedBindingReservesAnew = suite.Spec{
	ID:           "rejected-binding-reserves-anew",
	Description:  "When a pod is bound after an earlier attempt to bind it was rejected, its claim is reserved for it again.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-rejected-binding-reserves-anew"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		permit := claims.RejectBinding(ctx, e, "pod")
		_, err := claims.Create(ctx, e, "card", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		claims.RejectWritesOfController(ctx, e, "card")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "card")
		pods.WaitForFailedBinding(ctx, e, "pod")
		permit(ctx)
		pods.WaitForScheduled(ctx, e, "pod")
		gomega.Expect(claims.Get(ctx, e, "card").Status.ReservedFor).To(gomega.ContainElement(gomega.HaveField("Name", "pod")), "claim card should be reserved for pod pod, which is bound to its node")
	},
}
