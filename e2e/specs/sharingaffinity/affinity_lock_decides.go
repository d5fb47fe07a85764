// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// affinityLockDecides publishes a device with keys for each row of a table,
// allocates shares to the claims of the row, and creates one more claim for
// the device.
var affinityLockDecides = suite.Spec{
	ID:          "affinity-lock-decides",
	Description: "A device in use fits a claim that has the same values for all of its keys as every claim on it, and no other claim.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    affinityFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-same-values-share",
		"5981-other-values-apart",
		"5981-all-keys-required",
		"5981-other-keys-ignored",
		"5981-entry-wins-over-others",
		"5981-lock-not-published",
		"5981-unknown-keeps-out",
		"5981-nothing-inferred",
	},
	Body: func(ctx context.Context, e *env.Env) {
		expectTable(ctx, e, "locks")
	},
}
