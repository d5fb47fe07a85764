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

// fieldsHaveDefaults creates objects in v1 as dry runs, without fields that have defaults.
var fieldsHaveDefaults = suite.Spec{
	ID:           "fields-have-defaults",
	Description:  "The API server sets the defaults of fields of claims and templates that are created in v1: the mode and the number of devices of requests and alternatives, and the operator of tolerations.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Requirements: []string{"4381-fields-have-defaults"},
	Body:         func(ctx context.Context, e *env.Env) { expectDefaults(ctx, e, versions.V1) },
}
