// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// groupsJoinWithinAClaim publishes counter sets with devices of several
// compatibility groups. For each set, one claim requests all of the devices.
var groupsJoinWithinAClaim = suite.Spec{
	ID:          "groups-join-within-a-claim",
	Description: "Devices that one claim gets from the same counter set have a compatibility group in common, or no groups.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    groupFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5963-within-a-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		all := fixture.ReadList[meeting](data, "groups.yaml")
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventoryOf(all))
		refused := map[string]string{}
		var accepted []string
		for _, m := range all {
			pods.CreateWithClaim(ctx, e, m.Name, m.claimOf(sim))
			if m.Refused == "" {
				accepted = append(accepted, m.Name)
			} else {
				refused[m.Name] = m.Refused
			}
		}
		pods.WaitForScheduled(ctx, e, accepted...)
		pods.WaitForEachUnschedulable(ctx, e, refused)
	},
}
