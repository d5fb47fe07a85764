// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceWaitsForItsClass creates a pod that requests an extended
// resource, while there is only a DeviceClass without this name. Then a class with
// the name is created. The class of another resource gets its name by an update. The devices of
// a third one are published last.
var extendedResourceWaitsForItsClass = suite.Spec{
	ID:           "extended-resource-waits-for-its-class",
	Description:  "Devices provide an extended resource only if one of their DeviceClasses has its name, and to waiting pods as soon as one has, or as soon as there are devices of it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // The scheduler of 1.34 does not retry such a pod.
	Alone:        true,
	Requirements: []string{"5004-no-class-no-devices", "5004-class-added", "5004-devices-added"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "tape"))
		sim.CreateDeviceClass(ctx, "card", named(e, "card"))
		tapes := sim.CreateDeviceClass(ctx, "tape", named(e, "tape"))
		sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "card"))
		createPod(ctx, e, "pod", simulated.ExtendedResource(e, "card"))
		createPod(ctx, e, "named-later", simulated.ExtendedResource(e, "tape"))
		pods.WaitForAllUnschedulable(ctx, e, "no DeviceClass has the name of the extended resource", "pod", "named-later")
		sim.CreateExtendedResource(ctx, "drum", "drums", named(e, "drum"))
		createPod(ctx, e, "published-later", simulated.ExtendedResource(e, "drum"))
		pods.WaitForUnschedulable(ctx, e, "published-later", "the DeviceClass of the extended resource selects no device")

		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		waitForDevices(ctx, e, "pod", "it is the device of the new class", "card")
		claims.UpdateDeviceClass(ctx, e, tapes.Class, func(spec *resourceapi.DeviceClassSpec) {
			spec.ExtendedResourceName = ptr.To(string(simulated.ExtendedResource(e, "tape")))
		})
		waitForDevices(ctx, e, "named-later", "its class has the name of the extended resource now", "tape")
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0], Name: "drums"}, fixture.Devices("drum"))
		waitForDevices(ctx, e, "published-later", "it is published now", "drum")
	},
}
