// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prioritizedListIsRefusedWithoutFeature creates claims and templates with and
// without subrequests in dry runs.
var prioritizedListIsRefusedWithoutFeature = suite.Spec{
	ID:             "prioritized-list-is-refused-without-feature",
	Description:    "Without the feature, the API server rejects ResourceClaims and ResourceClaimTemplates with subrequests, and accepts others.",
	Profile:        profile,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.PrioritizedList},
	Component:      env.Cluster,
	Requirements:   []string{"4816-off-refuses-new-claims"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "list_claims_off.yaml") },
}
