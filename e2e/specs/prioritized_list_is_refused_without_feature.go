package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListIsRefusedWithoutFeature = suite.Spec{
	ID:           "prioritized-list-is-refused-without-feature",
	Sentence:     "Where requests cannot have alternatives, the API server refuses claims and templates of claims with them, and takes others.",
	Profile:      prioritizedList,
	Features:     []features.Feature{features.Core},
	Without:      []features.Feature{features.PrioritizedList},
	Judges:       suite.JudgesCluster,
	Requirements: []string{"4816-off-refuses-new-claims"},
	Body:         func(ctx context.Context, e *suite.Env) { tryAll(ctx, e, "list_claims_off.yaml") },
}
