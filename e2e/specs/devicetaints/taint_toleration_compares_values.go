// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintTolerationComparesValues publishes devices with taints with and without a
// value. The claims for them have tolerations that differ in their operator and
// value.
var taintTolerationComparesValues = suite.Spec{
	ID:           "taint-toleration-compares-values",
	Description:  "A toleration with the operator Equal, which is the default, tolerates taints with its value only, and one with the operator Exists tolerates any value.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-equal-matches-value", "5055-exists-matches-any-value", "5055-operator-defaults-to-equal"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "values.yaml") },
}
