// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prioritizedListIsValidated creates claims with subrequests in dry runs:
// valid ones up to each limit, which must be stored unchanged, and invalid
// ones, which must be rejected because of the field.
var prioritizedListIsValidated = suite.Spec{
	ID:          "prioritized-list-is-validated",
	Description: "The API server stores valid claims with subrequests unchanged, and rejects those that exceed its limits or are invalid.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    simulatedFeatures,
	Component:   env.Cluster,
	Requirements: []string{
		"4816-field-kept",
		"4816-exactly-or-first-available",
		"4816-limit-alternatives",
		"4816-limit-selectors",
		"4816-alternative-name",
		"4816-alternative-class",
		"4816-no-admin-access",
		"4816-no-nesting",
		"4816-alternative-count-positive",
		"4816-references-with-a-slash",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "list_claims.yaml") },
}
