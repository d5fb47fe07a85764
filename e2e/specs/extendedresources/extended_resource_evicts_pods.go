// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceEvictsPods taints a device that provides an extended resource for one of
// two pods, without a claim in their specs.
var extendedResourceEvictsPods = suite.Spec{
	ID:           "extended-resource-evicts-pods",
	Description:  "A pod is evicted when a device that provides an extended resource for it gets a taint of the effect NoExecute.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.DeviceTaints}, extendedFeatures...),
	Component:    env.ControllerManager,
	Needs:        simulatedNodes,
	Since:        "1.37", // Older controllers evict only pods with claims in their specs.
	Requirements: []string{"5055-extended-resources-are-evicted"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		for _, name := range []string{"card", "disk"} {
			sim.CreateExtendedResource(ctx, name, name+"s", named(e, name))
			createPod(ctx, e, name, simulated.ExtendedResource(e, name))
			waitForDevices(ctx, e, name, "it is the only device of the class", name)
		}

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {fixture.NoExecute}})
		pods.WaitForDisrupted(ctx, e, "the device for its extended resource has a taint of the effect NoExecute", "card")
		pods.ExpectNotEvicted(ctx, e, "the device for its extended resource has no taint", "disk")
	},
}
