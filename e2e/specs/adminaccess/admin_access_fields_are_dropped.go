// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// adminAccessFieldsAreDropped creates claims and templates with admin access in
// dry runs, and expects them without it.
var adminAccessFieldsAreDropped = suite.Spec{
	ID:             "admin-access-fields-are-dropped",
	Description:    "Without the feature, the API server drops adminAccess from claims and templates, and stores the rest.",
	Profile:        profile,
	Level:          suite.Provisional,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.AdminAccess},
	Component:      env.Cluster,
	Requirements:   []string{"5018-off-drops-fields"},
	Body:           func(ctx context.Context, e *env.Env) { dryrun.ExpectAll(ctx, e, data, "objects-off.yaml") },
}
