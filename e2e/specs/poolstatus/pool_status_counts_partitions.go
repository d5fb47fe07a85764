// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusCountsPartitions publishes a GPU with partitions of three types. It
// requests the status of the pool before a partition is allocated, while one is,
// and after its release.
var poolStatusCountsPartitions = suite.Spec{
	ID:          "pool-status-counts-partitions",
	Description: "The status of a pool has, for each type of partition, the number of its devices, and for how many more of them the counters suffice.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    typeFeatures,
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5677-partition-summary",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		publishPartitions(ctx, sim, "gpu", "profile")
		all := newRequests(e)
		expect := func(allocated int32, types, because string) {
			want := poolOfPartitions(sim, "gpu", types)
			want.allocated, want.available = allocated, want.total-allocated
			all.expectReport(ctx, because, resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}, report{matching: 1, pools: []pool{want}})
		}
		expect(0, allocatable(sim, "profile", 2, 4, 1), "no partition is allocated")

		pods.CreateWithRequests(ctx, e, "quarter", fixture.RequestFor(sim, "quarter-0"))
		pods.WaitForScheduled(ctx, e, "quarter")
		expect(1, allocatable(sim, "profile", 1, 3, 0), "a quarter of the GPU is allocated")

		pods.DeleteWithClaim(ctx, e, "quarter")
		expect(0, allocatable(sim, "profile", 2, 4, 1), "the partition was released")
	},
}
