// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// bindingWaitsForAllConditions publishes devices with two binding conditions each,
// and writes none, one or both of them as true.
var bindingWaitsForAllConditions = suite.Spec{
	ID:           "binding-waits-for-all-conditions",
	Description:  "A pod is bound to a node only when all binding conditions of its device are true. Until then, its claim stays allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-all-conditions", "5007-other-conditions-do-not-count"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "all-conditions.yaml") },
}
