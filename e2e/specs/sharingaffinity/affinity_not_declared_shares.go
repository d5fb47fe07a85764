// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// affinityNotDeclaredShares publishes a device without keys for each row of a
// table, allocates shares to the claims of the row, and creates one more
// claim, whose values must not matter.
var affinityNotDeclaredShares = suite.Spec{
	ID:          "affinity-not-declared-shares",
	Description: "Claims share a device that declares no keys, whatever affinity values they have.",
	Profile:     profile,
	Smoke:       true,
	Features:    []features.Feature{features.Core, features.SharedDevices},
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5981-entry-admitted",
		"5981-permissive-sharing",
		"5981-basic-sharing",
	},
	Body: func(ctx context.Context, e *env.Env) {
		expectTable(ctx, e, "undeclared")
	},
}
