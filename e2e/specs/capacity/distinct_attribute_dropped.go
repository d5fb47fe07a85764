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

// distinctAttributeDropped creates claims and templates with distinctAttribute in dry runs,
// some of them together with matchAttribute, and expects them without it.
var distinctAttributeDropped = suite.Spec{
	ID:             "distinct-attribute-dropped",
	Description:    "Without the feature, the API server stores no distinctAttribute: it drops the field, or rejects the constraint. It stores matchAttribute.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.SharedDevices},
	Component:      env.Cluster,
	Since:          "1.35", // The API server of 1.34 stores distinctAttribute.
	Requirements:   []string{"5075-off-drops-distinct-attribute"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "distinct_objects_off.yaml") },
}
