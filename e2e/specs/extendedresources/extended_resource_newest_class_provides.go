// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceNewestClassProvides creates two DeviceClasses for each of two
// extended resources, at different times. The newest class has the last name for
// one resource, and the first name for the other. Then the other classes are updated. A pod
// requests both.
var extendedResourceNewestClassProvides = suite.Spec{
	ID:           "extended-resource-newest-class-provides",
	Description:  "If several DeviceClasses have the name of an extended resource, the devices of the class that was created last provide it, also if another one is updated later.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // The scheduler of 1.34 uses any of the classes.
	Requirements: []string{"5004-newest-class"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("a", "b", "c", "d", "seen"))
		createClasses(ctx, e, sim, "card", "a", "b", -1)
		createClasses(ctx, e, sim, "disk", "d", "c", -1)
		for _, older := range []string{"a", "d"} {
			// The selectors stay in effect the same.
			claims.UpdateDeviceClass(ctx, e, claims.DeviceClassName(e, older), func(spec *resourceapi.DeviceClassSpec) {
				spec.Selectors = append(spec.Selectors, spec.Selectors[0])
			})
		}
		waitUntilObserved(ctx, e, sim)
		createPod(ctx, e, "pod", simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "disk"))
		waitForDevices(ctx, e, "pod", "the DeviceClasses b and c were created last", "b", "c")
	},
}
