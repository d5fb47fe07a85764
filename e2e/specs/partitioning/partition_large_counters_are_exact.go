// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// partitionLargeCountersAreExact is partitionCountersCompareByQuantity with larger numbers,
// which a scheduler must not change while it computes how much of them is left: the amounts
// that further pods need would differ.
var partitionLargeCountersAreExact = suite.Spec{
	ID:           "partition-large-counters-are-exact",
	Description:  "Counters with very large values, or with many digits, are consumed exactly, and have the same value for each pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Since:        "1.37", // Earlier schedulers change such counters in their cache.
	Needs:        simulatedNodes,
	Requirements: []string{"4815-counters-are-quantities"},
	Body:         func(ctx context.Context, e *env.Env) { expectQuantities(ctx, e, "large-quantities.yaml") },
}
