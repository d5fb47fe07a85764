// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedDeviceFieldsDropped creates slices and claims with the fields of
// shared devices in dry runs, and expects them without these fields.
var sharedDeviceFieldsDropped = suite.Spec{
	ID:             "shared-device-fields-dropped",
	Description:    "Without the feature, the API server drops the fields of shared devices from ResourceSlices and claims, and stores the rest.",
	Profile:        profile,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.SharedDevices},
	Component:      env.Cluster,
	Requirements: []string{
		"5075-off-drops-fields",
	},
	Body: func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "shared_objects_off.yaml") },
}
