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

// podStatusKeepsClaims creates a pod that uses a template, and writes a status without the
// generated claim in a dry run, as a client does that does not know the field. A kubelet does
// not know then which claims it has to unprepare.
var podStatusKeepsClaims = suite.Spec{
	ID:           "pod-status-keeps-claims",
	Description:  "The API server keeps the generated claims in the status of a pod when a client writes a status without this field.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Since:        "1.37", // Earlier API servers store the status as it is written.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-status-without-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		createTemplate(ctx, e, "cards", fixture.RequestFor(sim, "card"))
		createPodFrom(ctx, e, "pod", map[string]string{"entry": "cards"})
		before := namesOf(waitForGeneratedClaims(ctx, e, "pod", "entry"))
		after := pods.DryRunPatchStatus(ctx, e, "pod", `{"status": {"resourceClaimStatuses": null}}`)
		gomega.Expect(after.Status.ResourceClaimStatuses).To(gomega.HaveLen(1), "the API server should keep the generated claim of the pod, which the written status omits")
		gomega.Expect(after.Status.ResourceClaimStatuses[0].ResourceClaimName).To(gomega.HaveValue(gomega.Equal(before["entry"])), "the name of the generated claim should not change")
	},
}
