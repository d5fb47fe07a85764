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

// attributeDerivedListsAreDistinct publishes groups of devices. For each group, a claim
// requests devices for which it derives lists that have no value in common.
var attributeDerivedListsAreDistinct = suite.Spec{
	ID:           "attribute-derived-lists-are-distinct",
	Description:  "If the expression of a derived attribute returns a list, distinctAttribute compares all of its values, as it does for an attribute with a list.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     slices.Concat(derivedFeatures, []features.Feature{features.ListAttributes, features.SharedDevices}), // distinctAttribute
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5491-distinct-is-disjoint", "6080-distinct"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "derived-lists-distinct.yaml", distinct) },
}
