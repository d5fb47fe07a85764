// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedDeviceStepsAreValidated creates slices in dry runs, with ranges that have the largest
// and the smallest numbers. An API server that divides by a step without a look at it ends
// such a request with an internal error.
var sharedDeviceStepsAreValidated = suite.Spec{
	ID:           "shared-device-steps-are-validated",
	Description:  "The API server rejects ranges with a step of zero or less, with a minimum below zero, or with a default that is not a whole number of very large steps. It stores the largest step unchanged.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Cluster,
	Since:        "1.37", // The API servers of 1.34 to 1.36 divide by zero.
	Requirements: []string{"5075-steps-are-positive"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "steps.yaml") },
}
