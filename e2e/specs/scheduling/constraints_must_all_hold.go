// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// constraintsMustAllHold publishes three pairs of devices. The devices of one pair
// have the same board and the same zone, those of the others only one of these in
// common. A claim for each pair requires both to be the same.
var constraintsMustAllHold = suite.Spec{
	ID:           "constraints-must-all-hold",
	Description:  "Devices that satisfy one constraint of a claim and not another one are not allocated, whichever constraint comes first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-constraints"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for _, d := range []struct{ name, board, zone string }{
			{"both-0", "a", "x"}, {"both-1", "a", "x"},
			{"board-0", "b", "x"}, {"board-1", "b", "y"},
			{"zone-0", "c", "z"}, {"zone-1", "d", "z"},
		} {
			inventory.Devices = append(inventory.Devices, withStrings(d.name, map[resourceapi.QualifiedName]string{"board": d.board, "zone": d.zone}))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		for _, pair := range []string{"both", "board", "zone"} {
			pods.CreateWithRequests(ctx, e, pair, []devices.Request{
				{Name: "first", Device: fixture.RequestFor(sim, pair+"-0")[0].Device},
				{Name: "second", Device: fixture.RequestFor(sim, pair+"-1")[0].Device},
			}, same(ownName(sim, "board")), same(ownName(sim, "zone")))
		}
		pods.WaitForScheduled(ctx, e, "both")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"board": "its devices are in different zones",
			"zone":  "its devices have different boards",
		})
	},
}
