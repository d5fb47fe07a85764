// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// allDevicesUpToTheLimit publishes as many devices as an allocation can have on one
// node, and one more on another. Pods request all devices of their node. Then the
// second pool is published again without the last device.
var allDevicesUpToTheLimit = suite.Spec{
	ID:           "all-devices-up-to-the-limit",
	Description:  "A request for all devices is allocated as many as an allocation can have. If there are more, none are allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4381-scheduling-all-devices-or-none"},
	Body: func(ctx context.Context, e *env.Env) {
		const limit = resourceapi.AllocationResultsMaxSize
		sim := simulated.CreateNodes(ctx, e, 2)
		publish := func(node string, generation int64, count int) {
			var names []string
			for i := range count {
				names = append(names, fmt.Sprintf("card-%d", i))
			}
			sim.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
				NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, Generation: generation}, Devices: fixture.Devices(names...).Devices,
			})
		}
		publish(sim.Names[0], 1, limit)
		publish(sim.Names[1], 1, limit+1)
		fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[0], "up-to-limit")
		gomega.Expect(pods.WaitForScheduled(ctx, e, "up-to-limit")).To(gomega.HaveLen(limit), "the claim should be allocated all devices of its node")
		fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[1], "beyond")
		pods.WaitForPending(ctx, e, "its node has more devices than an allocation can have", "beyond")
		publish(sim.Names[1], 2, limit)
		gomega.Expect(pods.WaitForScheduled(ctx, e, "beyond")).To(gomega.HaveLen(limit), "the claim should be allocated all devices of its node")
	},
}
