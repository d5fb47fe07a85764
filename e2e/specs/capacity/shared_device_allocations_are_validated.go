// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// sharedDeviceAllocationsAreValidated allocates a share of a device in dry runs, with
// different identities.
var sharedDeviceAllocationsAreValidated = suite.Spec{
	ID:           "shared-device-allocations-are-validated",
	Description:  "The API server stores the identity of a share in an allocation, and rejects one that is no UUID in its normal form.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-identities-of-shares-are-checked"},
	Body:         func(ctx context.Context, e *env.Env) { dryrun.ExpectUpdates(ctx, e, data, "shared_allocations.yaml") },
}
