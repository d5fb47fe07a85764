// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// partitionTypeIsValidated creates ResourceSlices in dry runs that state the
// attribute with the type of their partitions: valid ones, which must be stored
// unchanged, and invalid ones, which must be rejected because of the field.
var partitionTypeIsValidated = suite.Spec{
	ID:          "partition-type-is-validated",
	Description: "The API server keeps the attribute with the type of partitions that a ResourceSlice states. It rejects names without a domain, slices without partitions, and partitions without this attribute or with one that is no string.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    typeFeatures,
	Component:   env.Cluster,
	Requirements: []string{
		"5677-partition-type-is-valid",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "partition_type_objects.yaml") },
}
