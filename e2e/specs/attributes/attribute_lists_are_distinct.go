// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"
	"slices"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeListsAreDistinct publishes groups of devices whose attribute is a
// list or a single value. For each group, a claim requests devices of which no
// two have a value in common.
var attributeListsAreDistinct = suite.Spec{
	ID:          "attribute-lists-are-distinct",
	Description: "Devices satisfy distinctAttribute if no two of them have a value of their lists in common. A single value is a list of one.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(listFeatures, []features.Feature{features.SharedDevices}), // distinctAttribute
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Since:       "1.37", // The alpha version of kube-scheduler 1.36 compares lists in another way.
	Requirements: []string{
		"5491-distinct-is-disjoint", "5491-distinct-scalars",
	},
	Body: func(ctx context.Context, e *env.Env) { expectAttempts(ctx, e, "distinct.yaml", distinct) },
}
