// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// competingPodsGetDifferentDevices creates pods with three claims each, and then exactly as
// many devices as they need: half of them on one node, and half of them for all nodes. A scheduler that chooses devices for one pod while it writes the
// claims of the last one must remember what it chose for each of these.
var competingPodsGetDifferentDevices = suite.Spec{
	ID:           "competing-pods-get-different-devices",
	Description:  "Pods with several claims that can all be scheduled at the same moment are allocated different devices for all of their claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-competing-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		const competing, each = 10, 3
		sim := simulated.CreateNodes(ctx, e, 3)
		var names, cards []string
		for i := range competing {
			names = append(names, fmt.Sprintf("pod-%d", i))
			one := devices.NewDeviceClaim(fixture.AnyDevice(sim))
			pods.CreateWithClaims(ctx, e, names[i], one, one, one)
		}
		pods.WaitForAllUnschedulable(ctx, e, "there are no devices", names...)
		for i := range competing * each {
			cards = append(cards, fmt.Sprintf("card-%d", i))
		}
		// Pods may be scheduled to all nodes, until those that are left need the devices
		// of the first one.
		half := len(cards) / 2
		sim.CreatePool(ctx, simulated.Pool{Name: "fabric"}, fixture.Devices(cards[:half]...))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(cards[half:]...))
		pods.WaitForScheduled(ctx, e, names...)
	},
}
