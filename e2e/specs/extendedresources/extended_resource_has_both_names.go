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

// extendedResourceHasBothNames creates a DeviceClass with the name of an extended
// resource, and a pod that requests the resource that has the name of the class.
var extendedResourceHasBothNames = suite.Spec{
	ID:           "extended-resource-has-both-names",
	Description:  "The devices of a DeviceClass with the name of an extended resource also provide the one with the name of the class.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // Until 1.34, only classes without a name of their own have the other one.
	Requirements: []string{"5004-both-names"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("disk", "card-0", "card-1"))
		class := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		createPod(ctx, e, "both", simulated.ExtendedResource(e, "card"), implicitName(class))
		waitForDevices(ctx, e, "both", "it requests one by each name", "card-0", "card-1")
	},
}
