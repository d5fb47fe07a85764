// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// bindingConditionsMustBeTrue publishes devices with two binding conditions each,
// and writes one of them as False or Unknown. Other devices have a failure
// condition that is not true.
var bindingConditionsMustBeTrue = suite.Spec{
	ID:           "binding-conditions-must-be-true",
	Description:  "A pod waits while a binding condition of its device is False or Unknown. A binding failure condition that is False or Unknown has no effect.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-only-true-counts"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "values.yaml") },
}
