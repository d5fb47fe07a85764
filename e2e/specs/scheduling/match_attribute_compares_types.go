// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// matchAttributeComparesTypes publishes pairs of devices with values of an
// attribute that are the same, differ, or differ in type only. A claim with a
// constraint requests both devices of a pair.
var matchAttributeComparesTypes = suite.Spec{
	ID:           "match-attribute-compares-types",
	Description:  "matchAttribute requires the same value of the same type. Devices without the attribute do not match.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-match-attribute-has-type"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		var matching []string
		refused := map[string]string{}
		for _, p := range fixture.ReadList[fixture.Pair](data, "pairs.yaml") {
			inventory.Devices = append(inventory.Devices, p.Inventory().Devices...)
			if p.Refused == "" {
				matching = append(matching, p.Name)
			} else {
				refused[p.Name] = p.Refused
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		for _, name := range matching {
			createPair(ctx, e, sim, name, ownName(sim, "group"))
		}
		for name := range refused {
			createPair(ctx, e, sim, name, ownName(sim, "group"))
		}
		pods.WaitForScheduled(ctx, e, matching...)
		pods.WaitForEachUnschedulable(ctx, e, refused)
	},
}
