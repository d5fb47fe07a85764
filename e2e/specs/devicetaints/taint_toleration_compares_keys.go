// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintTolerationComparesKeys publishes devices with the same taint. The claims
// for them have tolerations that differ in their key.
var taintTolerationComparesKeys = suite.Spec{
	ID:           "taint-toleration-compares-keys",
	Description:  "A toleration with a key tolerates taints with this key only, and one without a key tolerates taints with any key.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-toleration-matches-key"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "keys.yaml") },
}
