// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostSizesExcludeEachOther allocates a 2x2, a 2x4 and a 4x4 slice of an
// 8x8 grid. It requests ten slices of other sizes that overlap with one of
// them, and four that do not.
var multiHostSizesExcludeEachOther = suite.Spec{
	ID:           "multi-host-sizes-exclude-each-other",
	Description:  "A slice of hosts excludes every larger or smaller slice that has hosts in common with it. Slices of other hosts stay available.",
	Profile:      profile,
	Level:        suite.Core,
	Smoke:        true,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-multi-host-devices-exclude-parts"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "8x8")
		// They are in the upper left, the upper right and the lower left.
		for _, held := range []string{"2x2 at 0,0", "2x4 at 2,4", "4x4 at 4,0"} {
			pods.WaitForScheduled(ctx, e, g.createPod(ctx, e, held))
		}
		var overlapping []string
		for _, overlaps := range []string{
			"2x4 at 0,0", "4x4 at 0,0", "4x8 at 0,0", // overlap with the 2x2
			"2x2 at 2,4", "2x2 at 2,6", "4x4 at 0,4", // overlap with the 2x4
			"2x2 at 4,2", "2x4 at 6,0", "4x8 at 4,0", // overlap with the 4x4
			"8x8 at 0,0", // overlaps with all of them
		} {
			overlapping = append(overlapping, g.createPod(ctx, e, overlaps))
		}
		pods.WaitForAllUnschedulable(ctx, e, "a smaller or larger one holds some of their hosts", overlapping...)
		for _, disjoint := range []string{"2x2 at 0,2", "2x4 at 2,0", "2x2 at 0,4", "2x4 at 4,4"} {
			pods.WaitForScheduled(ctx, e, g.createPod(ctx, e, disjoint))
		}
	},
}
