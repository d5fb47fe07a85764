// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeDerivedIsValidated creates claims and templates with derived
// attributes in dry runs, and expects that the API server keeps or rejects them.
var attributeDerivedIsValidated = suite.Spec{
	ID:          "attribute-derived-is-validated",
	Description: "The API server keeps derived attributes of requests and subrequests, and rejects those that no constraint names, and invalid names and expressions.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    derivedFeatures,
	Component:   env.Cluster,
	Requirements: []string{
		"6080-fields-kept", "6080-named-by-a-constraint", "6080-names-and-expressions-are-valid",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "derived.yaml") },
}
