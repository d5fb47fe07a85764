// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimHasNoSubstitute replaces the generated claim of a pod, which waits because of
// a scheduling gate, by a claim of the same name that does not belong to the pod. A second pod
// shows that the scheduler goes on. With the claims of PodGroups enabled, such a claim ends
// kube-controller-manager 1.36.
var generatedClaimHasNoSubstitute = suite.Spec{
	ID:           "generated-claim-has-no-substitute",
	Description:  "A pod does not use a claim that has the name of its generated claim and was not created for it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.37",
	Requirements: []string{"4381-scheduling-generated-claims-have-owner"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		createGatedFromTemplate(ctx, e, "pod", "template")
		name := pods.WaitForGeneratedClaim(ctx, e, "pod")
		// Otherwise the controller would create another claim.
		gomega.Expect(e.Client.ResourceV1().ResourceClaimTemplates(e.Namespace).Delete(ctx, "template", metav1.DeleteOptions{})).To(gomega.Succeed())
		claims.DeleteWithoutWaiting(ctx, e, name)
		claims.WaitForDeleted(ctx, e, name, "it is not allocated")
		_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.RemoveSchedulingGates(ctx, e, "pod")
		createPodFor(ctx, e, sim, "other", "disk")
		pods.WaitForScheduled(ctx, e, "other")
		pods.ExpectNotBound(ctx, e, "pod", "the claim with the name of its own was not created for it")
		claims.ExpectNotAllocated(ctx, e, name, "it was not created for the pod that names it")
	},
}
