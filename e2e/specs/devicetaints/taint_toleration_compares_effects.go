// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintTolerationComparesEffects publishes devices with taints of the same key
// and different effects. The claims for them have tolerations that differ in
// their effect.
var taintTolerationComparesEffects = suite.Spec{
	ID:           "taint-toleration-compares-effects",
	Description:  "A toleration with an effect tolerates taints with this effect only, and one without an effect tolerates taints with any effect.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-toleration-matches-effect"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "effects.yaml") },
}
