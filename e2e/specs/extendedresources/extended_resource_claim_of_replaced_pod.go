// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"strings"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceClaimOfReplacedPod deletes a pod that requests an extended resource, and
// creates another one of the same name, as a StatefulSet does. A third party has added a
// finalizer to the claim of the former pod, so that it exists. The name of the pods is long, but
// not longer than the API server lets a claim be named after it.
var extendedResourceClaimOfReplacedPod = suite.Spec{
	ID:           "extended-resource-claim-of-replaced-pod",
	Description:  "A pod that replaces another one of the same name gets a claim of its own for its extended resources, also while the claim of the former pod exists. Pods may have long names.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-claim-of-replaced-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-1", "card-2"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pod := "pod-" + strings.Repeat("a", 200)
		createPod(ctx, e, pod, simulated.ExtendedResource(e, "card"))
		pods.WaitForScheduled(ctx, e, pod)
		former, _ := pods.WaitForExtendedClaim(ctx, e, pod)
		claims.AddFinalizer(ctx, e, former.Name, claims.OtherFinalizer)
		pods.Delete(ctx, e, pod)
		createPod(ctx, e, pod, simulated.ExtendedResource(e, "card"))
		pods.WaitForScheduled(ctx, e, pod)
		expectOneClaim(ctx, e, pod)
		gomega.Expect(claims.Get(ctx, e, former.Name).UID).To(gomega.Equal(former.UID), "the claim of the former pod should exist, because it has a finalizer of others")
	},
}
