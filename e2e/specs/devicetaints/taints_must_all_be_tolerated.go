// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintsMustAllBeTolerated publishes devices with two taints. The claims for them
// tolerate both taints, or one of them.
var taintsMustAllBeTolerated = suite.Spec{
	ID:           "taints-must-all-be-tolerated",
	Description:  "A device with several taints is allocated only to claims that tolerate all of them, also if they have the same key.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-every-taint-counts", "5055-same-key-twice"},
	Body:         func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "several.yaml") },
}
