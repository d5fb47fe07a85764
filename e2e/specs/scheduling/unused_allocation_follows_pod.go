// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unusedAllocationFollowsPod writes an allocation on the first of two nodes into
// a claim that nothing uses, as a scheduler that ends before it binds the pod. A
// pod with the claim may only run on the second node. Then pods use the claim on the
// second node, where it is, and on the first one, where it was.
var unusedAllocationFollowsPod = suite.Spec{
	ID:           "unused-allocation-follows-pod",
	Description:  "A claim that is allocated and not used is deallocated if the pod that needs it cannot run where its device is, and allocated where the pod can run. Then further pods use it there and nowhere else.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := createUnused(ctx, e)
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: sim.Names[1]}, unused)
		expectMoved(ctx, e, sim)
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: sim.Names[1]}, unused)
		pods.WaitForScheduled(ctx, e, "second")
		pods.CreateUsingClaims(ctx, e, "elsewhere", pods.Options{Node: sim.Names[0]}, unused)
		pods.WaitForUnschedulable(ctx, e, "elsewhere", "its claim has left the node and is used where it is now")
	},
}
