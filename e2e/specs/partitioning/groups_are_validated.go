// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// groupsAreValidated creates slices with compatibility groups in dry runs, and
// expects that the API server keeps or rejects them.
var groupsAreValidated = suite.Spec{
	ID:          "groups-are-validated",
	Description: "The API server keeps up to two compatibility groups of a device in each counter set, and rejects more, duplicates, and names that are no DNS labels.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    groupFeatures,
	Component:   env.Cluster,
	Requirements: []string{
		"5963-fields-kept", "5963-groups-are-valid",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "group-objects.yaml") },
}
