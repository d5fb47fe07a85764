// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// partitionTypeIsDropped creates ResourceSlices of partitions in dry runs.
var partitionTypeIsDropped = suite.Spec{
	ID:             "partition-type-is-dropped",
	Description:    "Without the feature, the API server drops the attribute with the type of partitions from ResourceSlices, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core, features.Partitions},
	AbsentFeatures: []features.Feature{features.PartitionTypes},
	Component:      env.Cluster,
	Since:          "1.35", // In 1.34, counters are in the slice of the devices.
	Requirements: []string{
		"5677-off-drops-partition-type",
	},
	Body: func(ctx context.Context, e *env.Env) {
		dryrun.ExpectAll(ctx, e, data, "partition_type_objects_off.yaml")
	},
}
