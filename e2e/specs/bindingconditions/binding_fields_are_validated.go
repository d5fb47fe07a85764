// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// bindingFieldsAreValidated creates slices with binding conditions in dry runs,
// right and wrong ones.
var bindingFieldsAreValidated = suite.Spec{
	ID:           "binding-fields-are-validated",
	Description:  "The API server stores binding conditions, binding failure conditions and bindsToNode of devices, and rejects those that contradict the documentation of the fields.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Cluster,
	Requirements: []string{"5007-fields-kept", "5007-conditions-are-types", "5007-limits", "5007-conditions-come-in-both-kinds"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects.yaml") },
}
