// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// extendedResourceNamesAreValidated creates DeviceClasses with names of extended
// resources in dry runs, right and wrong ones.
var extendedResourceNamesAreValidated = suite.Spec{
	ID:           "extended-resource-names-are-validated",
	Description:  "The API server stores the names of extended resources in DeviceClasses, and rejects those that no pod can request.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsDeviceClasses},
	Requirements: []string{"5004-name-kept", "5004-name-is-valid"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "classes.yaml") },
}
