// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// templateCreatedLetsPodsIn creates a pod that names a template that does not
// exist, and a later pod with a template that does. When the later pod is scheduled,
// it creates the template of the first one, and changes nothing else. Another pod names both
// templates, so that its claims cannot be created at the same time.
var templateCreatedLetsPodsIn = suite.Spec{
	ID:           "template-created-lets-pods-in",
	Description:  "A pod that names a template that does not exist gets its claim, and is scheduled, when the template is created. Pods with other templates do not wait for that. A pod that also names other templates gets one claim for each of its entries.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-template-after-pod", "4381-claim-from-template"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "disk-0", "disk-1"))
		createPodFrom(ctx, e, "early", map[string]string{"entry": "missing"})
		createTemplate(ctx, e, "existing", fixture.One(fixture.SubRequestFor(sim, "disk").Device))
		createPodFrom(ctx, e, "both", map[string]string{"first": "existing", "last": "missing"})
		createPodFrom(ctx, e, "other", map[string]string{"entry": "existing"})
		pods.WaitForScheduled(ctx, e, "other")
		pods.ExpectNotBound(ctx, e, "early", "its template does not exist")

		createTemplate(ctx, e, "missing", fixture.One(fixture.SubRequestFor(sim, "card").Device))
		waitForGeneratedClaims(ctx, e, "early", "entry")
		pods.WaitForScheduled(ctx, e, "early", "both")
		entries := waitForGeneratedClaims(ctx, e, "both", "first", "last")
		owned := pods.ListOwnedClaims(ctx, e, "both")
		gomega.Expect(owned).To(gomega.HaveLen(len(entries)), "pod both should own one claim for each of its entries")
	},
}
