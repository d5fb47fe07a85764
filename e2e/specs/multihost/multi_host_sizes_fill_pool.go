// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostSizesFillPool requests slices of an 8x8 grid from large to small
// until all 64 chips are allocated, and then one more.
var multiHostSizesFillPool = suite.Spec{
	ID:           "multi-host-sizes-fill-pool",
	Description:  "Slices of all sizes fill an 8x8 to the last host. Then not even the smallest slice is available.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-rest-stays-allocatable", "4815-refused-without-counters"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "8x8")
		// From large to small: 32, 16, 8 and twice 4 of the 64 chips.
		for i, shape := range []string{"4x8", "4x4", "2x4", "2x2", "2x2"} {
			name := fmt.Sprintf("claim-%d", i)
			createPod(ctx, e, name, g.withShape(shape))
			pods.WaitForScheduled(ctx, e, name)
		}
		createPod(ctx, e, "late", g.withShape("2x2"))
		pods.WaitForUnschedulable(ctx, e, "late", "all 16 hosts are taken")
	},
}
