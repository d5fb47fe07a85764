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

// extendedResourceFirstNameProvides creates two DeviceClasses for each of two extended
// resources, with the same creation timestamp. Of one resource, the class with the
// first name is created first, and of the other resource last. A pod requests both.
var extendedResourceFirstNameProvides = suite.Spec{
	ID:           "extended-resource-first-name-provides",
	Description:  "If several DeviceClasses with the name of an extended resource were created at the same time, the devices of the class whose name is sorted first provide it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // The scheduler of 1.34 uses any of the classes.
	Requirements: []string{"5004-class-by-name"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("a", "b", "c", "d", "seen"))
		createClasses(ctx, e, sim, "card", "a", "b", 0)
		createClasses(ctx, e, sim, "disk", "d", "c", 0)
		waitUntilObserved(ctx, e, sim)
		createPod(ctx, e, "pod", simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "disk"))
		waitForDevices(ctx, e, "pod", "the names of the DeviceClasses a and c are sorted first", "a", "c")
	},
}
