// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// claimStatusIsValidated allocates and reserves a claim in dry runs, with one change
// each.
var claimStatusIsValidated = suite.Spec{
	ID:           "claim-status-is-validated",
	Description:  "The API server stores the allocation and the consumers of a claim, and rejects those that contradict the claim or the documentation of their fields, because of the field.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-consumers-are-checked", "4381-allocations-are-checked"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectUpdates(ctx, e, data, "claim-status.yaml") },
}
