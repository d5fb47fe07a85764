// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountFitsTogether publishes pools in which the whole device
// precedes its two parts, each in its own slice. Claims request two and three
// devices of one pool, and four of two pools.
var partitionCountFitsTogether = suite.Spec{
	ID:          "partition-count-fits-together",
	Description: "A request for several devices gets devices whose counters suffice for all of them, from any ResourceSlices and pools of the node, or none.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Since:       "1.35",
	Requirements: []string{
		"4815-counters-within-a-claim",
		"4815-partitions-fit-together",
		"4815-pools-apart",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		described := loadPools("whole-before-parts")
		start := func(pod string, count int64) {
			pods.CreateWithRequests(ctx, e, pod, []devices.Request{{Name: "devices", Device: sim.Device(""), Count: count}})
		}
		partsOf := func(pools ...string) (parts []audit.DeviceID) {
			for _, pool := range pools {
				for _, device := range []string{"left", "right"} {
					parts = append(parts, audit.DeviceID{Driver: sim.Driver, Pool: node + "-" + pool, Device: device})
				}
			}
			return parts
		}
		sim.CreateSlices(ctx, described.slices("a", node, 1)...)
		start("three", 3)
		pods.WaitForUnschedulable(ctx, e, "three", "the counters of its devices suffice for two of them at most")
		pods.DeleteWithClaim(ctx, e, "three")
		start("two", 2)
		gomega.Expect(pods.WaitForScheduled(ctx, e, "two")).To(gomega.ConsistOf(partsOf("a")), "the whole device leaves nothing for a second one")
		pods.DeleteWithClaim(ctx, e, "two")

		sim.CreateSlices(ctx, described.slices("b", node, 1)...)
		start("four", 4)
		gomega.Expect(pods.WaitForScheduled(ctx, e, "four")).To(gomega.ConsistOf(partsOf("a", "b")), "each pool has two devices that fit together")
		start("one", 1)
		pods.WaitForUnschedulable(ctx, e, "one", "claim four uses up both pools")
	},
}
