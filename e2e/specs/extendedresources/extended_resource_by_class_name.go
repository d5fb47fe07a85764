// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceByClassName creates a DeviceClass without the name of an extended
// resource for one of two devices, and a pod that requests the resource that has
// the name of the class.
var extendedResourceByClassName = suite.Spec{
	ID:           "extended-resource-by-class-name",
	Description:  "The devices of a DeviceClass provide the extended resource deviceclass.resource.kubernetes.io/ with the name of the class.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // 1.34 takes such a name for one of Kubernetes itself.
	Requirements: []string{"5004-implicit-name"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("disk", "card"))
		class := sim.CreateDeviceClass(ctx, "cards", named(e, "card"))
		createPod(ctx, e, "pod", implicitName(class))
		waitForDevices(ctx, e, "pod", "it is the device of the class", "card")
	},
}
