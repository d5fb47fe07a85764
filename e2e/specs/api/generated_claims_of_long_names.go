// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"strings"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimsOfLongNames creates a pod with a long name and two entries, whose names are
// as long as they can be and differ in the last letter only.
var generatedClaimsOfLongNames = suite.Spec{
	ID:           "generated-claims-of-long-names",
	Description:  "A pod gets its generated claims, and is scheduled, however long its name and those of its entries are.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-generated-name", "4381-generated-long-name"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1"))
		createTemplate(ctx, e, "cards", fixture.AnyDevice(sim))
		const nameLimit, entryLimit = 253, 63
		pod := strings.Repeat("a", nameLimit)
		first, last := strings.Repeat("e", entryLimit-1)+"1", strings.Repeat("e", entryLimit-1)+"2"
		createPodFrom(ctx, e, pod, map[string]string{first: "cards", last: "cards"})
		generated := waitForGeneratedClaims(ctx, e, pod, first, last)
		gomega.Expect(generated[first].Name).NotTo(gomega.Equal(generated[last].Name), "each entry should have a claim of its own")
		for entry, claim := range generated {
			gomega.Expect(claim.Annotations).To(gomega.HaveKeyWithValue(resourceapi.PodResourceClaimAnnotation, entry), "claim %s should name its entry", claim.Name)
		}
		pods.WaitForScheduled(ctx, e, pod)
	},
}
