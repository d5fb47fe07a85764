// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// attributeDerivedIsDropped creates claims and templates with derived attributes
// in dry runs, and expects them without these fields.
var attributeDerivedIsDropped = suite.Spec{
	ID:             "attribute-derived-is-dropped",
	Description:    "Without the feature, the API server drops derived attributes from claims and templates, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.DerivedAttributes},
	Component:      env.Cluster,
	Requirements:   []string{"6080-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "derived-off.yaml") },
}
