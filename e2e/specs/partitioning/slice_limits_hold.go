// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sliceLimitsHold creates slices with the maximum number of each kind of
// element, and with one more, in dry runs. Then it creates a pool with the
// maximum number of all elements.
var sliceLimitsHold = suite.Spec{
	ID:          "slice-limits-hold",
	Description: "The API server accepts ResourceSlices up to the limits of the API, stores the largest one, and rejects those beyond.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Cluster,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-limit-counter-sets",
		"4815-limit-counters-per-set",
		"4815-limit-consumptions",
		"4815-limit-consumed-counters",
		"4815-limit-attributes",
		"4815-limit-devices-with-counters",
		"4815-largest-slice-is-stored",
	},
	Body: func(ctx context.Context, e *env.Env) {
		for _, l := range sliceLimits {
			what := func(n int) string { return fmt.Sprintf("%d %s", n, l.name) }
			expectAccepted(ctx, e, what(l.limit), l.slice(l.limit))
			expectRejected(ctx, e, what(l.limit+1), l.field, l.slice(l.limit+1))
		}
		// No claim requests these devices. The test is whether etcd can store
		// the slices.
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreateSlices(ctx, largestSlices(sim.Names[0])...)
	},
}
