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

// generatedClaimHasNoSubstitute creates a pod for a template that does not exist. While a
// scheduling gate holds it back, its status gets the name of a claim that does not belong to the
// pod, as if that were its generated claim. A second pod shows that the scheduler goes on. The
// same is done with the generated claim of another pod. With
// the claims of PodGroups enabled, such a claim ends kube-controller-manager 1.36.
var generatedClaimHasNoSubstitute = suite.Spec{
	ID:           "generated-claim-has-no-substitute",
	Description:  "A pod does not use a claim that has the name of its generated claim and was not created for it, but for another pod or for none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.37",
	Requirements: []string{"4381-scheduling-generated-claims-have-owner"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk", "tape"))
		// Without the template, the controller cannot generate a claim: if the spec replaced a
		// generated claim, the controller could observe that before the end of the template, and
		// generate another one.
		createGatedFromTemplate(ctx, e, "pod", "absent")
		const name = "substitute"
		_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.SetGeneratedClaim(ctx, e, "pod", name)
		pods.RemoveSchedulingGates(ctx, e, "pod")
		createPodFor(ctx, e, sim, "other", "disk")
		pods.WaitForScheduled(ctx, e, "other")
		pods.ExpectNotBound(ctx, e, "pod", "the claim with the name of its own was not created for it")
		claims.ExpectNotAllocated(ctx, e, name, "it was not created for the pod that names it")
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		pods.CreateFromClaimTemplate(ctx, e, "owner", "template", "")
		pods.WaitForScheduled(ctx, e, "owner")
		createGatedFromTemplate(ctx, e, "taker", "absent")
		pods.SetGeneratedClaim(ctx, e, "taker", pods.GetGeneratedClaim(ctx, e, "owner"))
		pods.RemoveSchedulingGates(ctx, e, "taker")
		createPodFor(ctx, e, sim, "later", "tape")
		pods.WaitForScheduled(ctx, e, "later")
		pods.ExpectNotBound(ctx, e, "taker", "the claim with the name of its own was created for another pod")
	},
}
