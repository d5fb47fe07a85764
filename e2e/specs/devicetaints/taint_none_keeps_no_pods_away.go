// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintNoneKeepsNoPodsAway publishes devices with a taint of the effect None,
// some of them with a second taint.
var taintNoneKeepsNoPodsAway = suite.Spec{
	ID:           "taint-none-keeps-no-pods-away",
	Description:  "A taint of the effect None needs no toleration, and does not hide other taints of its device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // 1.34 rejects the effect None.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-none-has-no-effect"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "informational.yaml") },
}
