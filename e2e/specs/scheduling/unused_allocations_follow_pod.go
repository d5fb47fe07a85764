// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// unusedAllocationsFollowPod allocates two claims on a node, and creates a pod with both of them
// that may only run on the other node.
var unusedAllocationsFollowPod = suite.Spec{
	ID:           "unused-allocations-follow-pod",
	Description:  "If two claims of a pod are allocated on a node on which the pod cannot run, and nothing uses them, both are allocated for another node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-is-moved"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := createUnused(ctx, e)
		sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[1] + "-more", Node: sim.Names[1]}, fixture.Devices("disk"))
		_, err := claims.Create(ctx, e, "also-unused", devices.NewDeviceClaim(fixture.AnyDevice(sim)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		allocateOnFirstNode(ctx, e, sim, "also-unused", "probe")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: sim.Names[1]}, unused, "also-unused")
		expectMoved(ctx, e, sim)
		gomega.Expect(claims.GetNodesOfAllocation(ctx, e, "also-unused", sim.Names)).To(gomega.Equal(sim.Names[1:]), "the other claim should be allocated on this node, too")
	},
}
