// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// bindingFieldsAreDropped creates slices with binding conditions in dry runs, and
// expects them without these fields.
var bindingFieldsAreDropped = suite.Spec{
	ID:             "binding-fields-are-dropped",
	Description:    "Without the feature, the API server drops binding conditions and bindsToNode from ResourceSlices, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.BindingConditions},
	Component:      env.Cluster,
	Requirements:   []string{"5007-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects-off.yaml") },
}
