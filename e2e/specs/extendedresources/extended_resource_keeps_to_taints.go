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

// extendedResourceKeepsToTaints publishes two devices for an extended resource, of which the
// first has a taint. Two pods request the resource. They tolerate all taints of nodes, as all
// pods of the suite on simulated nodes do. Then the taint is removed.
var extendedResourceKeepsToTaints = suite.Spec{
	ID:           "extended-resource-keeps-to-taints",
	Description:  "A device with a taint does not provide extended resources, whatever taints of nodes a pod tolerates. It does when the taint is removed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.DeviceTaints}, extendedFeatures...),
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-no-tainted-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card-0", "card-1")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "draconform.dev/broken", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		createPod(ctx, e, "first", simulated.ExtendedResource(e, "card"))
		waitForDevices(ctx, e, "first", "the other device has a taint", "card-1")
		createPod(ctx, e, "second", simulated.ExtendedResource(e, "card"))
		pods.WaitForUnschedulable(ctx, e, "second", "the only free device has a taint")
		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card-0": nil})
		waitForDevices(ctx, e, "second", "it has no taint any more", "card-0")
	},
}
