// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeDerivedListsMatch publishes groups of devices. For each group, a claim requests
// devices for which it derives lists that have a value in common.
var attributeDerivedListsMatch = suite.Spec{
	ID:           "attribute-derived-lists-match",
	Description:  "If the expression of a derived attribute returns a list, matchAttribute compares all of its values, as it does for an attribute with a list.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     slices.Concat(derivedFeatures, []features.Feature{features.ListAttributes}),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5491-match-is-intersection", "6080-matched"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "derived-lists-match.yaml", match) },
}
