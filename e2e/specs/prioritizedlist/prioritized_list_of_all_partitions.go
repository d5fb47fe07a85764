// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListOfAllPartitions publishes three partitions on each of two nodes: two of which a
// list prefers all, and a single one. The counters of the first node suffice for the two. Those of
// the second node suffice for any one partition.
var prioritizedListOfAllPartitions = suite.Spec{
	ID:          "prioritized-list-of-all-partitions",
	Description: "A subrequest for all devices is not satisfied if their counters do not suffice for all of them. It leaves the counters to the next subrequest.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    append([]features.Feature{features.Partitions}, simulatedFeatures...),
	Component:   env.Scheduler,
	// Earlier schedulers fail with an error if one of all devices consumes counters.
	Since:        "1.36",
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4816-all-devices-of-an-alternative", "4816-next-if-the-first-does-not-fit"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for i, units := range []int64{4, 3} {
			inventory := &simulated.Inventory{CounterSets: []resourceapi.CounterSet{{Name: "card", Counters: fixture.Units(units)}}}
			for _, name := range []string{"pair-0", "single", "pair-1"} {
				inventory.Devices = append(inventory.Devices, fixture.Consumer(name, "card", 2))
			}
			sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, inventory)
		}
		pair := fixture.SubRequestFor(sim, "pair")
		pair.All = true
		list := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", pair, fixture.SubRequestFor(sim, "single"))})
		for i, want := range [][]string{{"list/pair", "list/pair"}, {"list/single"}} {
			pod := fmt.Sprintf("pod-%d", i)
			pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[i], list)
			expect.ScheduledFor(ctx, e, pod, "these are the first devices for which the counters of its node suffice", want...)
		}
	},
}
