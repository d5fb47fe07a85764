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

// v1beta2HasTheSameFields writes objects that together have every field of the API
// in v1 and reads them in v1beta2. It writes the result in v1beta2, and reads that
// in v1.
var v1beta2HasTheSameFields = suite.Spec{
	ID:           "v1beta2-has-the-same-fields",
	Description:  "Objects that are written in v1 have the same values in v1beta2, and the other way round.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.V1beta2},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	Requirements: []string{"4381-v1beta2-converts"},
	Body:         func(ctx context.Context, e *env.Env) { expectFields(ctx, e, versions.V1beta2) },
}
