// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// groupsAreDropped creates slices with compatibility groups in dry runs, and
// expects them without the groups.
var groupsAreDropped = suite.Spec{
	ID:             "groups-are-dropped",
	Description:    "Without the feature, the API server drops compatibility groups from ResourceSlices, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       partitionFeatures,
	AbsentFeatures: []features.Feature{features.CompatibilityGroups},
	Component:      env.Cluster,
	Since:          "1.35", // In 1.34, counters are in the slice of the devices.
	Requirements:   []string{"5963-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "group-objects-off.yaml") },
}
