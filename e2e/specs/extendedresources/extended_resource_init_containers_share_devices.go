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

// extendedResourceInitContainersShareDevices creates a pod with two init containers
// and a container that request two, one and two of an extended resource. There are
// two devices.
var extendedResourceInitContainersShareDevices = suite.Spec{
	ID:           "extended-resource-init-containers-share-devices",
	Description:  "Init containers use the devices of the containers after them, as with device plugins, so that a pod needs no more devices than it uses at a time.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // Until 1.34, init containers have devices of their own.
	Requirements: []string{"5004-init-containers-share"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1"))
		card := simulated.ExtendedResource(e, "card")
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pods.CreateWithResources(ctx, e, "pod",
			pods.ResourceUser{Container: "init-0", Init: true, Amounts: amounts{card: 2}}, pods.ResourceUser{Container: "init-1", Init: true, Amounts: amounts{card: 1}},
			pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{card: 2}})
		waitForDevices(ctx, e, "pod", "no two of its containers run at the same time", "card-0", "card-1")
	},
}
