// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// groupsOfEachCounterSet publishes two counter sets. A pod uses a device that
// consumes counters of both, with a different compatibility group in each. Other
// pods request devices that consume counters of one set, of both, or of none, and one that consumes
// counters of a set with the same name in another pool.
var groupsOfEachCounterSet = suite.Spec{
	ID:          "groups-of-each-counter-set",
	Description: "A device may have other compatibility groups in each counter set. Devices with counters of different sets, also of the same name in different pools, or without counters, need no common group.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    groupFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5963-each-counter-set",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		x, y := []string{"x"}, []string{"y"}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, &simulated.Inventory{
			CounterSets: []resourceapi.CounterSet{counterSet("one"), counterSet("two"), counterSet("three")},
			Devices: []resourceapi.Device{
				grouped("both", consumption{"one", x}, consumption{"two", y}),
				grouped("x-of-one", consumption{"one", x}), grouped("y-of-one", consumption{"one", y}),
				grouped("x-of-two", consumption{"two", x}), grouped("y-of-two", consumption{"two", y}),
				grouped("x-of-both", consumption{"one", x}, consumption{"two", x}), grouped("same-of-both", consumption{"one", x}, consumption{"two", y}),
				grouped("z-of-three", consumption{"three", []string{"z"}}), grouped("plain"),
			},
		})
		sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-more", Node: sim.Names[0]}, &simulated.Inventory{
			CounterSets: []resourceapi.CounterSet{counterSet("one")}, Devices: []resourceapi.Device{grouped("z-of-other-pool", consumption{"one", []string{"z"}})},
		})
		pods.CreateWithRequests(ctx, e, "both", fixture.RequestFor(sim, "both"))
		pods.WaitForScheduled(ctx, e, "both")

		accepted := []string{"x-of-one", "y-of-two", "same-of-both", "z-of-three", "z-of-other-pool", "plain"}
		for _, name := range append([]string{"y-of-one", "x-of-two", "x-of-both"}, accepted...) {
			pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
		}
		pods.WaitForScheduled(ctx, e, accepted...)
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"y-of-one":  "the allocated device has its group in the other counter set only",
			"x-of-two":  "the allocated device has its group in the other counter set only",
			"x-of-both": "the allocated device has its group in the first of its two counter sets only",
		})
	},
}
