// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionPodsCompeteUntilFull creates 19 pods for the 14 smallest partitions
// of two GPUs on two nodes. Then three of the scheduled pods are deleted.
var partitionPodsCompeteUntilFull = suite.Spec{
	ID:          "partition-pods-compete-until-full",
	Description: "Of many pods that request a partition at the same time, as many as fit get one, and the others get one when those end.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-counters-across-claims",
		"4815-refused-without-counters",
		"4815-release-returns-counters",
		"4815-rest-stays-allocatable",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, a100s(node, 1))
		}
		// Each of the two GPUs has room for seven partitions. One of these can
		// have the media extensions. Devices at the same place exclude each
		// other.
		const podCount, capacity = 19, 14
		var places []string
		for slice := range 7 {
			places = append(places, fmt.Sprintf("1g.5gb@%d", slice), fmt.Sprintf("1g.5gb+me@%d", slice))
		}
		for i := range podCount {
			pods.CreateWithRequests(ctx, e, fmt.Sprintf("pod-%02d", i), fixture.One(deviceAt(sim, places...)))
		}
		scheduled, pending := pods.WaitForScheduledCount(ctx, e, capacity)
		pods.WaitForAllUnschedulable(ctx, e, "as many pods as fit have a partition", pending...)
		pods.WaitForScheduled(ctx, e, scheduled...)

		const ended = 3
		for _, pod := range scheduled[:ended] {
			pods.DeleteWithClaim(ctx, e, pod)
		}
		scheduled, pending = pods.WaitForScheduledCount(ctx, e, capacity)
		pods.WaitForAllUnschedulable(ctx, e, "as many pods as fit have a partition", pending...)
		pods.WaitForScheduled(ctx, e, scheduled...)
	},
}
