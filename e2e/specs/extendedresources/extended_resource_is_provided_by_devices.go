// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceIsProvidedByDevices creates a DeviceClass with the name of an
// extended resource for two of three devices, and a pod that requests two.
var extendedResourceIsProvidedByDevices = suite.Spec{
	ID:           "extended-resource-is-provided-by-devices",
	Description:  "A container that requests an amount of an extended resource is allocated as many devices of the DeviceClass with its name.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-explicit-name", "5004-amount"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("disk", "card-0", "card-1"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pods.CreateWithResources(ctx, e, "pod", pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{simulated.ExtendedResource(e, "card"): 2}})
		waitForDevices(ctx, e, "pod", "it requests two, and these are the devices of the class", "card-0", "card-1")
	},
}
