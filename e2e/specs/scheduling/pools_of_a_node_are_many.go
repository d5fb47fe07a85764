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
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolsOfANodeAreMany publishes many pools of a node with a device each, and a pool with as
// many slices, which have a device each. A pod requests all devices of the former, and another
// one those of the latter. The devices of both have the same names.
var poolsOfANodeAreMany = suite.Spec{
	ID:          "pools-of-a-node-are-many",
	Description: "The devices of all pools of a node, and of all slices of a pool, are allocated, each once, although there are many pools and slices.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    schedulingFeatures,
	Component:   env.Scheduler,
	// With consumable capacity, the scheduler of 1.34 ends itself if a request is for more
	// devices than a ResourceSlice has.
	Since:        "1.35",
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-devices-of-a-slice"},
	Body: func(ctx context.Context, e *env.Env) {
		const many = 24
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		var all []resourceapi.ResourceSliceSpec
		for i := range many {
			name := fmt.Sprintf("card-%d", i)
			all = append(all,
				resourceapi.ResourceSliceSpec{NodeName: &node, Pool: resourceapi.ResourcePool{Name: fmt.Sprintf("%s-%d", node, i)}, Devices: inPool("each", name).Devices},
				resourceapi.ResourceSliceSpec{NodeName: &node, Pool: resourceapi.ResourcePool{Name: node}, Devices: inPool("same", name).Devices})
		}
		sim.CreateSlices(ctx, all...)
		for _, of := range []string{"each", "same"} {
			request := devices.Request{Name: "cards", Device: sim.Device(withOwn(sim, fmt.Sprintf("own.pool == %q", of))), Count: many}
			pods.CreateWithRequests(ctx, e, of, []devices.Request{request})
			gomega.Expect(pods.WaitForScheduled(ctx, e, of)).To(gomega.HaveLen(many), "claim %s requests so many devices", of)
		}
		pods.CreateWithRequests(ctx, e, "late", fixture.AnyDevice(sim))
		pods.WaitForUnschedulable(ctx, e, "late", "all devices of the node are allocated")
	},
}
