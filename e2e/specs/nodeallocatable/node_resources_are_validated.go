// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// nodeResourcesAreValidated creates slices of devices with resources of the node
// in dry runs, and expects that the API server keeps or rejects them.
var nodeResourcesAreValidated = suite.Spec{
	ID:          "node-resources-are-validated",
	Description: "The API server keeps the resources for which devices stand and the overhead of devices, and rejects resources with neither, and extended resources.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    []features.Feature{features.Core, features.NodeAllocatable},
	Component:   env.Cluster,
	Requirements: []string{
		"5517-fields-kept", "5517-resources-are-valid",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects.yaml") },
}
