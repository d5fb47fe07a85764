// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// skippedOperationsKeepToCapableNodes allocates an ordinary device, and then one without
// operations on nodes, to a claim. Their slices are for all nodes, so that the allocation
// selects no nodes. Two more pods use the claim: the first may only run on the node that does
// not declare the feature, and the second on the other one.
var skippedOperationsKeepToCapableNodes = suite.Spec{
	ID:           "skipped-operations-keep-to-capable-nodes",
	Description:  "Pods that use an allocated claim with a device for which kubelets skip operations are scheduled only to nodes that declare the feature, although the device is available on all nodes.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5945-capable-nodes-for-allocated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNodes(ctx, e)
		publish(ctx, sim, "network", all, "port")
		publish(ctx, sim, "ordinary", nil, "card")
		requests := append(fixture.RequestFor(sim, "card"), fixture.RequestFor(sim, "port")...)
		requests[0].Name = "ordinary"
		pods.CreateWithClaim(ctx, e, "first", devices.NewDeviceClaim(requests))
		pods.WaitForScheduled(ctx, e, "first")
		pods.CreateUsingClaims(ctx, e, "incapable", pods.Options{Node: sim.Names[0]}, "first")
		pods.CreateUsingClaims(ctx, e, "capable", pods.Options{Node: sim.Names[capable]}, "first")
		pods.WaitForScheduled(ctx, e, "capable")
		pods.ExpectNotBound(ctx, e, "incapable", "its node does not declare that it can skip operations")
	},
}
