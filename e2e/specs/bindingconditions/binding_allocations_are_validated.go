// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// bindingAllocationsAreValidated allocates a device with binding conditions in dry runs,
// right and wrong ones.
var bindingAllocationsAreValidated = suite.Spec{
	ID:           "binding-allocations-are-validated",
	Description:  "The API server stores the binding conditions and binding failure conditions of allocated devices, and rejects those that contradict the documentation of the fields.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-recorded-conditions-are-checked"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectUpdates(ctx, e, data, "allocations.yaml") },
}
