// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// skippedOperationsAreValidated creates slices in dry runs, and expects that the
// API server keeps or rejects the operations that kubelets skip.
var skippedOperationsAreValidated = suite.Spec{
	ID:           "skipped-operations-are-validated",
	Description:  "The API server keeps the operations that kubelets skip for the devices of a slice. It rejects unknown operations, the same one twice, and devices that are prepared by no driver and unprepared by one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Cluster,
	Requirements: []string{"5945-fields-kept", "5945-operations-are-valid"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects.yaml") },
}
