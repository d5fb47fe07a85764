// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeListsMatch publishes groups of devices whose attribute is a list or a
// single value. For each group, a claim requests devices with a value in common.
var attributeListsMatch = suite.Spec{
	ID:          "attribute-lists-match",
	Description: "Devices satisfy matchAttribute if the lists of all of them have a value in common. A single value is a list of one.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    listFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Since:       "1.37", // The alpha version of kube-scheduler 1.36 compares lists in another way.
	Requirements: []string{
		"5491-match-is-intersection", "5491-order-and-repetition", "5491-scalar-is-list-of-one", "5491-types-differ", "5491-attribute-is-needed",
	},
	Body: func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "match.yaml", match) },
}
