// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintKeepsNewPodsAway publishes a device with a taint of each of these effects,
// and one without a taint, and creates a claim without tolerations for each.
var taintKeepsNewPodsAway = suite.Spec{
	ID:           "taint-keeps-new-pods-away",
	Description:  "Devices with a taint of the effect NoSchedule or NoExecute are not allocated to claims that do not tolerate it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-schedule", "5055-no-execute-keeps-new-pods-away"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "new-pods.yaml") },
}
