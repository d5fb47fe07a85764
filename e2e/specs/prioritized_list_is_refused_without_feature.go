package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListIsRefusedWithoutFeature = suite.Spec{
	ID:           "prioritized-list-is-refused-without-feature",
	Sentence:     "Without the feature, the API server rejects ResourceClaims and ResourceClaimTemplates with subrequests, and accepts others.",
	Profile:      prioritizedList,
	Features:     []features.Feature{features.Core},
	Without:      []features.Feature{features.PrioritizedList},
	Judges:       suite.JudgesCluster,
	Requirements: []string{"4816-off-refuses-new-claims"},
	Body:         func(ctx context.Context, e *suite.Env) { tryAll(ctx, e, "list_claims_off.yaml") },
}
