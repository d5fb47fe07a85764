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

// tolerationsAreDropped creates claims and templates with tolerations in dry runs,
// and expects them without these.
var tolerationsAreDropped = suite.Spec{
	ID:             "tolerations-are-dropped",
	Description:    "Without the feature, the API server drops tolerations from claims and templates, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.DeviceTaints},
	Component:      env.Cluster,
	Since:          "1.35", // 1.34 keeps them.
	Requirements:   []string{"5055-off-drops-tolerations"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "claims-off.yaml") },
}
