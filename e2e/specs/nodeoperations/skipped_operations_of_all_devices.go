// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeoperations

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// skippedOperationsOfAllDevices publishes two devices without operations on nodes for two
// nodes, of which the second one declares the feature. On each node, a pod requests all of
// them.
var skippedOperationsOfAllDevices = suite.Spec{
	ID:           "skipped-operations-of-all-devices",
	Description:  "A request with allocationMode All that matches devices for which kubelets skip operations is satisfied only on nodes that declare the feature.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     operationFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5945-capable-nodes-only", "5945-recorded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNodes(ctx, e)
		publish(ctx, sim, "network", all, "port-1", "port-2")
		claim := devices.NewDeviceClaim([]devices.Request{{Name: "ports", Device: fixture.SubRequestFor(sim, "port").Device}})
		claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaimOnNode(ctx, e, "incapable", sim.Names[0], claim)
		pods.WaitForUnschedulable(ctx, e, "incapable", "its node does not declare that it can skip operations")
		pods.CreateWithClaimOnNode(ctx, e, "capable", sim.Names[capable], claim)
		expect.ScheduledFor(ctx, e, "capable", "its node declares that it can skip operations", "ports", "ports")
		pods.ExpectNotBound(ctx, e, "incapable", "its node does not declare that it can skip operations")
	},
}
