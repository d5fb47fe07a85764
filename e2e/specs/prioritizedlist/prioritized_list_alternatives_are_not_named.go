// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// prioritizedListAlternativesAreNotNamed creates pods in dry runs. The
// container of one of them names a request, that of the other one a
// subrequest.
var prioritizedListAlternativesAreNotNamed = suite.Spec{
	ID:           "prioritized-list-alternatives-are-not-named",
	Description:  "The API server accepts pods whose containers name a request of a claim, and rejects those that name a subrequest.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     simulatedFeatures,
	Component:    env.Cluster,
	Requirements: []string{"4816-pods-name-requests-only"},
	Body: func(ctx context.Context, e *env.Env) {
		gomega.Expect(pods.DryRunCreateWithRequest(ctx, e, "claim", "list")).To(gomega.Succeed(), "a container may name a request")
		gomega.Expect(dryrun.InvalidFields(pods.DryRunCreateWithRequest(ctx, e, "claim", "list/first"))).To(
			gomega.ConsistOf("spec.containers[0].resources.claims[0].request"), "a container must not name an alternative")
	},
}
