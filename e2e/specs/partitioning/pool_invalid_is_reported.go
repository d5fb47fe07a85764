// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolInvalidIsReported creates a pod that fits no node, and then publishes an
// invalid pool on its node. The wording of the scheduler's message is not
// specified, and neither is whether it is an error, but without a report of the pool
// nothing would change it.
var poolInvalidIsReported = suite.Spec{
	ID:          "pool-invalid-is-reported",
	Description: "When a pod fits no node, and a pool of its node becomes invalid, the scheduler changes what it reports in the status of the pod.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Alone:       true,
	Since:       "1.35",
	Requirements: []string{
		"4815-wrong-pool-is-told",
	},
	Body: func(ctx context.Context, e *env.Env) {
		described := loadPools("unknown-counter-set")
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreateSlices(ctx, described.slices("valid", node, 1)...)
		createPodOnNode(ctx, e, sim, node, "plain", "plain")
		before := pods.WaitForUnschedulable(ctx, e, "plain", "no pool has its device")
		sim.CreateSlices(ctx, described.slices("a-wrong", node, 1)...)
		pods.WaitForOtherMessage(ctx, e, "plain", before, "the pool of its device is invalid")
	},
}
