// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeDerivedIsMatched publishes groups of devices. For each group, a claim
// requests devices whose derived attributes are equal, a number of them or all.
var attributeDerivedIsMatched = suite.Spec{
	ID:          "attribute-derived-is-matched",
	Description: "matchAttribute compares what the expression of a derived attribute returns for each device, even if the devices have an attribute with the same name.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    derivedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{
		"6080-matched", "6080-shadows-attributes", "6080-after-selectors", "6080-errors-refuse",
	},
	Body: func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "derived-match.yaml", match) },
}
