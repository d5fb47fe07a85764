// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceClaimIsMarked creates a pod that requests an extended resource, and
// reads the annotations of its claim.
var extendedResourceClaimIsMarked = suite.Spec{
	ID:           "extended-resource-claim-is-marked",
	Description:  "A claim for extended resources has the annotation resource.kubernetes.io/extended-resource-claim with the value true, and not the annotation of claims from templates.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-annotation"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		createPod(ctx, e, "pod", simulated.ExtendedResource(e, "card"))
		pods.WaitForScheduled(ctx, e, "pod")
		claim, _ := pods.WaitForExtendedClaim(ctx, e, "pod")
		gomega.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.ExtendedResourceClaimAnnotation, "true"), "claim %s should have the annotation", claim.Name)
		gomega.Expect(claim.Annotations).NotTo(gomega.HaveKey(resourceapi.PodResourceClaimAnnotation), "claim %s is not from a template", claim.Name)
	},
}
