// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributesCompareByType publishes devices with attributes of each type. Pods
// request them by comparisons that come out differently for other types.
var attributesCompareByType = suite.Spec{
	ID:           "attributes-compare-by-type",
	Description:  "Selectors compare integers, booleans, strings and versions as such: integers by number, and versions by their precedence.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-values-have-types"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "types.yaml") },
}
