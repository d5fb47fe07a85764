// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// unusedAllocationLeavesCordonedNode writes an allocation on the first of two
// nodes into a claim that nothing uses, and cordons the node. When the scheduler
// has observed this, a pod with the claim follows.
var unusedAllocationLeavesCordonedNode = suite.Spec{
	ID:           "unused-allocation-leaves-cordoned-node",
	Description:  "A claim that is allocated on a cordoned node and not used is deallocated, and allocated on another node for a pod that needs it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := createUnused(ctx, e)
		sim.Cordon(ctx, sim.Names[0], true)
		expect.PendingOnceSeen(ctx, e, "probe", "its node is cordoned", func(pod string) {
			createPodWith(ctx, e, pod, pods.Options{Node: sim.Names[0], Change: simulated.KeepOffCordoned}, devices.NewDeviceClaim(fixture.RequestFor(sim, "probe")))
		})
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Change: simulated.KeepOffCordoned}, unused)
		expectMoved(ctx, e, sim)
	},
}
