// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// unusedAllocationGoesWithUsedOne writes an allocation on the first of two nodes into a claim
// that nothing uses. The pod also needs a claim that another pod uses on the second node, so
// that no node suits both allocations. Its claims are in this order.
var unusedAllocationGoesWithUsedOne = suite.Spec{
	ID:           "unused-allocation-goes-with-used-one",
	Description:  "If no node suits both claims of a pod, and only one of them is in use, the other one is deallocated, and allocated where the first one is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := createUnused(ctx, e)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1], Name: "disks"}, fixture.Devices("disk"))
		createPodOn(ctx, e, sim, 1, "used", "disk")
		pods.WaitForScheduled(ctx, e, "used")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "used", unused)
		expectMoved(ctx, e, sim)
	},
}
