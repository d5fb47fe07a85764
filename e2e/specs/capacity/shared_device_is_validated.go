// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedDeviceIsValidated creates slices and claims in dry runs: valid ones,
// which must be stored unchanged, and invalid ones, which must be rejected
// because of the field.
var sharedDeviceIsValidated = suite.Spec{
	ID:          "shared-device-is-validated",
	Description: "The API server stores shared devices, their policies and capacity requests unchanged, and rejects invalid policies.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Cluster,
	Requirements: []string{
		"5075-fields-kept",
		"5075-policy-of-shared-devices-only",
		"5075-policy-values-or-range",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "shared_objects.yaml") },
}
