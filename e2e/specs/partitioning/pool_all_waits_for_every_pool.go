// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolAllWaitsForEveryPool publishes two pools on each of two nodes, and one on
// a third node. The first node has an incomplete pool, and the second one an invalid pool.
// A pod on each node requests all devices, and then the incomplete pool is completed.
var poolAllWaitsForEveryPool = suite.Spec{
	ID:          "pool-all-waits-for-every-pool",
	Description: "A request for all devices gets none on a node where a pool is incomplete or invalid, and all devices of all pools once every pool of the node is complete and valid.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Since:       "1.35",
	Requirements: []string{
		"4815-all-needs-valid-pools",
	},
	Body: func(ctx context.Context, e *env.Env) {
		described := loadPools("all-of-two-pools")
		sim := simulated.CreateNodes(ctx, e, 3)
		incomplete, invalid, whole := sim.Names[0], sim.Names[1], sim.Names[2]
		late := described.slices("late", incomplete, 1)
		sim.CreateSlices(ctx, late[0])
		sim.CreateSlices(ctx, described.slices("wrong", invalid, 1)...)
		for _, node := range sim.Names {
			sim.CreateSlices(ctx, described.slices("sound", node, 1)...)
		}

		because := "it is not known which devices the other pool of its node has"
		pending := func(name, node string) string {
			return expect.PendingOnceSeen(ctx, e, name, because, func(pod string) { fixture.CreatePodForAllDevices(ctx, e, sim, node, pod) })
		}
		withIncomplete, withInvalid := pending("with-incomplete", incomplete), pending("with-invalid", invalid)
		// Some schedulers report an error instead of an unschedulable pod.
		pods.WaitForPending(ctx, e, because, withIncomplete, withInvalid)
		fixture.CreatePodForAllDevices(ctx, e, sim, whole, "with-whole")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "with-whole")).To(gomega.HaveLen(1), "claim with-whole asks for all devices of the only pool of its node")
		sim.CreateSlices(ctx, late[1])
		gomega.Expect(pods.WaitForScheduled(ctx, e, withIncomplete)).To(gomega.HaveLen(3), "claim %s asks for all devices of both pools", withIncomplete)
		pods.WaitForPending(ctx, e, "a pool of its node still contradicts itself", withInvalid)
	},
}
