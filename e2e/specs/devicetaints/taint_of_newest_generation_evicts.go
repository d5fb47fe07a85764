// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintOfNewestGenerationEvicts publishes a pool again with another generation, in two
// ResourceSlices, in one of which a device has a taint. The ResourceSlice of the first generation
// stays, and another device gets a taint in it. A later eviction because of a device in the other
// new slice shows that this update has been processed.
var taintOfNewestGenerationEvicts = suite.Spec{
	ID:           "taint-of-newest-generation-evicts",
	Description:  "Pods are evicted because of taints in any ResourceSlice of the newest generation of a pool, and not because of those in ResourceSlices of older generations.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-newest-generation-counts"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card", "disk", "fan"))
		for _, name := range []string{"card", "disk", "fan"} {
			createPodFor(ctx, e, sim, name, name)
		}
		pods.WaitForScheduled(ctx, e, "card", "disk", "fan")

		const newest = 2
		inventory := fixture.Devices("card", "disk", "fan")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{noExecute}
		slice := func(devices ...resourceapi.Device) resourceapi.ResourceSliceSpec {
			return resourceapi.ResourceSliceSpec{NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, Generation: newest}, Devices: devices}
		}
		sim.CreateSlices(ctx, slice(inventory.Devices[:2]...), slice(inventory.Devices[2]))
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute in the newest generation of the pool", "card")
		sim.SetTaintsOfGeneration(ctx, node, newest-1, map[string][]resourceapi.DeviceTaint{"disk": {noExecute}})
		sim.SetTaintsOfGeneration(ctx, node, newest, map[string][]resourceapi.DeviceTaint{"fan": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute in the newest generation of the pool", "fan")
		pods.ExpectNotEvicted(ctx, e, "its device has a taint only in an older generation of the pool", "disk")
	},
}
