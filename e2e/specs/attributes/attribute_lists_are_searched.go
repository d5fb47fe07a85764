// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeListsAreSearched publishes devices whose attribute is a list or a
// single value. For each, a claim selects devices that include a value.
var attributeListsAreSearched = suite.Spec{
	ID:          "attribute-lists-are-searched",
	Description: "In a selector, includes() is true for an attribute that has the value in its list, or that is the value.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    listFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5491-includes",
	},
	Body: func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "includes.yaml", nil) },
}
