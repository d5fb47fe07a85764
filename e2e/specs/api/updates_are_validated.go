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

// updatesAreValidated creates ResourceSlices and a DeviceClass, and updates them in dry
// runs with one change each.
var updatesAreValidated = suite.Spec{
	ID:           "updates-are-validated",
	Description:  "The API server rejects an update of a ResourceSlice with another driver, pool or node, and updates of ResourceSlices and DeviceClasses that contradict the documentation of their fields. It accepts other changes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-slices-stay-in-place", "4381-updates-are-checked"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectUpdates(ctx, e, data, "updates.yaml") },
}
