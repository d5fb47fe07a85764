// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedDeviceFractionalRangeIsValidated creates slices in dry runs, with policies
// that have fractions: valid ones, which must be stored unchanged, and some that
// are valid only after rounding, which must be rejected.
var sharedDeviceFractionalRangeIsValidated = suite.Spec{
	ID:           "shared-device-fractional-range-is-validated",
	Description:  "The API server stores policies with fractions unchanged. It rejects a default or a maximum between two steps, without rounding them, and numbers that are no whole thousandths.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     fractionalFeatures,
	Component:    env.Cluster,
	Requirements: []string{"5075-fractional-ranges-are-valid"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "fractional_objects.yaml") },
}
