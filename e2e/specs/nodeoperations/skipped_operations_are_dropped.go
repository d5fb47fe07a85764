// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// skippedOperationsAreDropped creates slices with operations that kubelets skip in
// dry runs, and expects them without the operations.
var skippedOperationsAreDropped = suite.Spec{
	ID:             "skipped-operations-are-dropped",
	Description:    "Without the feature, the API server drops the operations that kubelets skip for devices, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.OptionalNodeOperations},
	Component:      env.Cluster,
	Requirements:   []string{"5945-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects-off.yaml") },
}
