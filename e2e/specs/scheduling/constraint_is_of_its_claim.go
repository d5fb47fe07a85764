// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// constraintIsOfItsClaim publishes two devices of each of two groups, and others of
// groups of their own. A pod has two claims for two devices of the same group.
var constraintIsOfItsClaim = suite.Spec{
	ID:           "constraint-is-of-its-claim",
	Description:  "A constraint applies to the devices of its own claim. Two claims of a pod with the same constraint are allocated devices of different groups.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-constraint-within-a-claim"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for i, group := range []string{"c", "a", "b", "a", "d", "b", "e"} {
			inventory.Devices = append(inventory.Devices, withStrings(fmt.Sprintf("card-%d", i), map[resourceapi.QualifiedName]string{"group": group}))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		pair := devices.NewDeviceClaim([]devices.Request{{Name: "pair", Device: sim.Device(""), Count: 2}}, same(ownName(sim, "group")))
		pods.CreateWithClaims(ctx, e, "pairs", pair, pair)
		pods.WaitForScheduled(ctx, e, "pairs")
	},
}
