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

// fieldsAreKept writes objects that together have every field of the API in v1, and
// compares what is stored.
var fieldsAreKept = suite.Spec{
	ID:           "fields-are-kept",
	Description:  "The API server stores all fields of ResourceSlices, DeviceClasses, claims and templates in v1 as they are written, except those whose features are disabled.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Requirements: []string{"4381-fields-are-kept"},
	Body:         func(ctx context.Context, e *env.Env) { expectFields(ctx, e, versions.V1) },
}
