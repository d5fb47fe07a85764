// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeResourcesOfEachDevice publishes devices of the same name in two pools of one driver, and
// in a pool of another driver that has the name of one of them. They stand for 20, 10 and 5
// cpus. A pod has a claim for both devices of the first driver and one for that of the other.
var nodeResourcesOfEachDevice = suite.Spec{
	ID:           "node-resources-of-each-device",
	Description:  "The resources that a device uses are those that its own driver publishes for it in its own pool, also if there are devices of the same name in other pools and of other drivers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     resourceFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5517-of-the-allocated-device"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		other := sim.AddDriver(ctx)
		card := func(cpus string) *simulated.Inventory { return withResource(corev1.ResourceCPU, mapped(cpus), "card") }
		createPoolNamed(ctx, sim, "node", card("20"))
		createPoolNamed(ctx, sim, "more", card("10"))
		createPoolNamed(ctx, other, "node", card("5"))
		both := fixture.RequestFor(sim, "card")
		both[0].Count = 2
		pods.CreateWithClaims(ctx, e, "devices", devices.NewDeviceClaim(both), devices.NewDeviceClaim(fixture.RequestFor(other, "card")))
		pods.WaitForScheduled(ctx, e, "devices")
		gomega.Expect(getNodeResources(ctx, e, "devices")).To(gomega.ConsistOf("claim devices-0 of containers [workload]: 30 cpu", "claim devices-1 of containers [workload]: 5 cpu"),
			"the status of the pod should have the cpus of each of its devices")
	},
}
