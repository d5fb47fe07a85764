package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

var prioritizedListIsRefusedWithoutFeature = suite.Spec{
	ID:             "prioritized-list-is-refused-without-feature",
	Description:    "Without the feature, the API server rejects ResourceClaims and ResourceClaimTemplates with subrequests, and accepts others.",
	Profile:        prioritizedList,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.PrioritizedList},
	Component:      env.Cluster,
	Requirements:   []string{"4816-off-refuses-new-claims"},
	Body:           func(ctx context.Context, e *env.Env) { tryAll(ctx, e, "list_claims_off.yaml") },
}
