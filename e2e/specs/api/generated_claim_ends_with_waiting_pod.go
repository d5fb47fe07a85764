// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimEndsWithWaitingPod deletes a pod that could not be scheduled, and
// one with a claim of a user for which the same applies.
var generatedClaimEndsWithWaitingPod = suite.Spec{
	ID:           "generated-claim-ends-with-waiting-pod",
	Description:  "A claim that was created from a template for a pod is removed with the pod, also if the pod was never scheduled. A claim that a user created stays.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-claim-ends-with-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		createTemplate(ctx, e, "template", fixture.RequestFor(sim, "missing"))
		createPodFrom(ctx, e, "generated", map[string]string{"entry": "template"})
		claim := waitForGeneratedClaims(ctx, e, "generated", "entry")["entry"]
		pods.CreateWithRequests(ctx, e, "named", fixture.RequestFor(sim, "missing"))
		pods.WaitForAllUnschedulable(ctx, e, "there is no such device", "generated", "named")

		pods.Delete(ctx, e, "generated", "named")
		claims.WaitForCollected(ctx, e, claim.Name, "the pod that owns it is deleted")
		_, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, "named", metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "claim named should stay, because no pod owns it")
	},
}
