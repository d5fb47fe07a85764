// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusTakesTypesFromRequest publishes two pools of partitions, of which one
// states the attribute with their type. It requests the status of both without an
// attribute, and with another one than that of the pool.
var poolStatusTakesTypesFromRequest = suite.Spec{
	ID:          "pool-status-takes-types-from-request",
	Description: "The attribute that a request names as that with the type of partitions is used for pools whose ResourceSlices state none. Without either, there are no types.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    typeFeatures,
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5677-type-of-the-request",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		publishPartitions(ctx, sim, "own", "profile")
		publishPartitions(ctx, sim, "plain", "")
		all := newRequests(e)
		request := resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}
		own := poolOfPartitions(sim, "own", allocatable(sim, "profile", 2, 4, 1))
		all.expectReport(ctx, "the request names no attribute", request, report{matching: 2, pools: []pool{own, poolOfPartitions(sim, "plain", "")}})

		request.DefaultPartitionTypeAttribute = ptr.To(sim.Driver + "/size")
		all.expectReport(ctx, "the request names an attribute", request,
			report{matching: 2, pools: []pool{own, poolOfPartitions(sim, "plain", allocatable(sim, "size", 2, 4, 1))}})
	},
}
