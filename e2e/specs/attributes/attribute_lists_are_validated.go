// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeListsAreValidated creates slices whose attributes are lists in dry
// runs, and expects that the API server keeps or rejects them.
var attributeListsAreValidated = suite.Spec{
	ID:          "attribute-lists-are-validated",
	Description: "The API server keeps lists of values of each type, and rejects empty lists, attributes with several fields, and values or numbers of them beyond the limits.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    listFeatures,
	Component:   env.Cluster,
	Requirements: []string{
		"5491-fields-kept", "5491-one-field", "5491-values-are-valid", "5491-limits",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "lists.yaml") },
}
