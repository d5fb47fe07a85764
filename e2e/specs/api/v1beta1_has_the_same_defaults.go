// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/versions"
)

// v1beta1HasTheSameDefaults creates objects in v1beta1 as dry runs, without fields that have defaults.
var v1beta1HasTheSameDefaults = suite.Spec{
	ID:           "v1beta1-has-the-same-defaults",
	Description:  "The API server sets the same defaults for claims and templates that are created in v1beta1 as in v1.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.V1beta1},
	Component:    env.Cluster,
	Requirements: []string{"4381-v1beta1-has-defaults"},
	Body:         func(ctx context.Context, e *env.Env) { expectDefaults(ctx, e, versions.V1beta1) },
}
