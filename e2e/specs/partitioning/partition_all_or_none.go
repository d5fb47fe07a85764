// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionAllOrNone requests all devices that match, first of partitions that
// overlap, then of the two halves of a GPU while another claim has a part of
// one half. Then that claim is deleted.
var partitionAllOrNone = suite.Spec{
	ID:          "partition-all-or-none",
	Description: "A request for all devices gets every device that matches, and none while the counters do not suffice for all of them.",
	Profile:     profile,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Since:       "1.36",
	Requirements: []string{
		"4815-all-devices-or-none",
		"4815-counters-within-a-claim",
		"4815-counters-across-claims",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], 1))
		halves := []string{"3g.20gb@0", "3g.20gb@4"}
		start := func(pod string, places ...string) {
			claim := devices.NewDeviceClaim(fixture.One(deviceAt(sim, places...)))
			claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
			pods.CreateWithClaim(ctx, e, pod, claim)
		}
		start("overlapping", append(halves, "1g.5gb@6")...)
		pods.WaitForUnschedulable(ctx, e, "overlapping", "all of its devices together need more than there is")

		pods.CreateWithRequests(ctx, e, "other", fixture.One(deviceAt(sim, "1g.5gb@6")))
		pods.WaitForScheduled(ctx, e, "other")
		start("halves", halves...)
		pods.WaitForUnschedulable(ctx, e, "halves", "one of its devices needs what claim other has")
		pods.DeleteWithClaim(ctx, e, "other")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "halves")).To(gomega.HaveLen(len(halves)), "claim halves asks for all devices that it selects")
	},
}
