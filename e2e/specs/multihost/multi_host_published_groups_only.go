// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// multiHostPublishedGroupsOnly requests devices with 16 chips of an 8x8 grid
// by their capacity, until all four 4x4 slices are allocated. Then it
// allocates the hosts in the four corners, so that 16 chips in the middle are
// free, and requests such a device again.
var multiHostPublishedGroupsOnly = suite.Spec{
	ID:           "multi-host-published-groups-only",
	Description:  "A request for 16 chips gets one of the four valid 4x4 slices of an 8x8, or none, even if 16 other chips are free.",
	Profile:      profile,
	Level:        suite.Core,
	Features:     multiHostFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4815-published-groups-only"},
	Body: func(ctx context.Context, e *env.Env) {
		g := createGrid(ctx, e, "8x8")
		// This is the selector of the example in KEP-4815.
		chips := g.Device(fmt.Sprintf("device.capacity[%q].tpus == quantity(\"16\")", g.Driver))
		var names, origins []string
		for i := range 4 {
			names = append(names, fmt.Sprintf("good-%d", i))
			createPod(ctx, e, names[i], chips)
			origins = append(origins, g.getOrigin(ctx, e, pods.WaitForScheduled(ctx, e, names[i])[0]))
		}
		gomega.Expect(origins).To(gomega.ConsistOf("0,0", "0,4", "4,0", "4,4"), "the origins of the four valid slices")
		for _, name := range names {
			pods.DeleteWithClaim(ctx, e, name)
		}

		// The 4x4 in the middle stays free, but it is not a published device.
		for i, corner := range []string{"0,0", "0,6", "6,0", "6,6"} {
			name := fmt.Sprintf("corner-%d", i)
			createPod(ctx, e, name, g.deviceAt("2x2", corner))
			pods.WaitForScheduled(ctx, e, name)
		}
		createPod(ctx, e, "any", chips)
		pods.WaitForUnschedulable(ctx, e, "any", "each valid slice lacks the host in a corner")
	},
}
