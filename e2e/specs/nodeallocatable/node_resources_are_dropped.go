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

// nodeResourcesAreDropped creates slices of devices with resources of the node in
// dry runs, and expects them without the resources.
var nodeResourcesAreDropped = suite.Spec{
	ID:             "node-resources-are-dropped",
	Description:    "Without the feature, the API server drops resources of the node from devices, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.NodeAllocatable},
	Component:      env.Cluster,
	Since:          "1.37", // Before, devices have other fields.
	Requirements:   []string{"5517-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects-off.yaml") },
}
