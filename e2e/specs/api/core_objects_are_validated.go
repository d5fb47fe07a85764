// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// coreObjectsAreValidated creates right objects in dry runs, and each of them with one
// change that makes it wrong, or just not yet.
var coreObjectsAreValidated = suite.Spec{
	ID:          "core-objects-are-validated",
	Description: "The API server stores claims, templates, DeviceClasses and ResourceSlices that follow the documentation of their fields. It rejects those that differ from them in one thing that the documentation forbids, because of the field.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    []features.Feature{features.Core},
	Component:   env.Cluster,
	Requirements: []string{
		"4381-requests-are-checked", "4381-selectors-are-checked", "4381-constraints-are-checked", "4381-configuration-is-checked",
		"4381-slices-are-checked", "4381-devices-are-checked",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectCreations(ctx, e, data, "core-objects.yaml") },
}
