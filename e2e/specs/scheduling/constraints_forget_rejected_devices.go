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

// constraintsForgetRejectedDevices publishes devices that satisfy one of two constraints
// before and after those that satisfy both. Claims have the constraints in either order.
var constraintsForgetRejectedDevices = suite.Spec{
	ID:           "constraints-forget-rejected-devices",
	Description:  "A device that one constraint of a claim rejects does not matter to the other constraints. Devices that satisfy all of them are found, whichever constraint comes first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-constraints", "4381-scheduling-any-combination"},
	Body: func(ctx context.Context, e *env.Env) {
		type attributes = map[resourceapi.QualifiedName]string
		sim := simulated.CreateNodes(ctx, e, 1)
		// Schedulers may try devices from either end.
		rejected := []attributes{{"board": "lonely"}, {"zone": "lonely"}, {"board": "a", "zone": "y"}, {"board": "b", "zone": "x"}}
		inventory := &simulated.Inventory{}
		add := func(kind string, all ...attributes) {
			for i, a := range all {
				inventory.Devices = append(inventory.Devices, withStrings(fmt.Sprintf("%s-%d", kind, i), a))
			}
		}
		suits := attributes{"board": "a", "zone": "x"}
		add("early", rejected...)
		add("card", suits, suits, suits, suits)
		add("late", rejected[1], rejected[0])
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)

		board, zone := same(ownName(sim, "board")), same(ownName(sim, "zone"))
		two := []devices.Request{{Name: "two", Device: sim.Device(""), Count: 2}}
		pods.CreateWithRequests(ctx, e, "board-first", two, board, zone)
		pods.CreateWithRequests(ctx, e, "zone-first", two, zone, board)
		pods.WaitForScheduled(ctx, e, "board-first", "zone-first")
	},
}
