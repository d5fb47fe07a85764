// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// taintFieldsAreDropped creates slices with taints in dry runs, and expects them
// without these.
var taintFieldsAreDropped = suite.Spec{
	ID:             "taint-fields-are-dropped",
	Description:    "Without the feature, the API server drops taints from ResourceSlices, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.DeviceTaints},
	Component:      env.Cluster,
	Requirements:   []string{"5055-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "slices-off.yaml") },
}
