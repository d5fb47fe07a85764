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

// attributeDerivedIsDistinct publishes groups of devices. For each group, a claim
// requests devices whose derived attributes are all different.
var attributeDerivedIsDistinct = suite.Spec{
	ID:          "attribute-derived-is-distinct",
	Description: "distinctAttribute compares what the expression of a derived attribute returns for each device.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(derivedFeatures, []features.Feature{features.SharedDevices}), // distinctAttribute
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"6080-distinct",
	},
	Body: func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "derived-distinct.yaml", distinct) },
}
