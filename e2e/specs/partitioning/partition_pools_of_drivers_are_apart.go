// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionPoolsOfDriversAreApart publishes a pool of each of two drivers on a node. The
// pools, their counter sets and their devices have the same names, and the counter sets have
// one and four units. Pods request devices of both drivers in either order, because a
// scheduler may remember the counters of the pool that it looks at first.
var partitionPoolsOfDriversAreApart = suite.Spec{
	ID:          "partition-pools-of-drivers-are-apart",
	Description: "Counter sets with the same name in pools with the same name of different drivers are independent, also for one pod that gets devices of both.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	// Up to 1.36, kube-scheduler knows counters by the name of the pool, and takes those of
	// one driver for those of the other.
	Since:        "1.37",
	Needs:        simulatedNodes,
	Requirements: []string{"4815-pools-apart"},
	Body: func(ctx context.Context, e *env.Env) {
		few := simulated.CreateNodes(ctx, e, 1)
		many := few.AddDriver(ctx)
		for driver, units := range map[*simulated.Nodes]int64{few: 1, many: 4} {
			driver.CreatePool(ctx, simulated.Pool{Name: "pool", Node: few.Names[0]}, unitDevices(units, 4))
		}
		ofFew := func(count int64) []devices.Request {
			return []devices.Request{{Name: "few", Device: few.Device(""), Count: count}}
		}
		ofMany := func(count int64) []devices.Request {
			return []devices.Request{{Name: "many", Device: many.Device(""), Count: count}}
		}
		because := map[string]string{}
		for pod, requests := range map[string][]devices.Request{"two-and-one": slices.Concat(ofFew(2), ofMany(1)), "one-and-two": slices.Concat(ofMany(1), ofFew(2))} {
			pods.CreateWithRequests(ctx, e, pod, requests)
			because[pod] = "it needs two units of the driver that has one"
		}
		pods.WaitForEachUnschedulable(ctx, e, because)
		for pod, requests := range map[string][]devices.Request{"one-and-four": slices.Concat(ofFew(1), ofMany(4)), "four-and-one": slices.Concat(ofMany(4), ofFew(1))} {
			pods.CreateWithRequests(ctx, e, pod, requests)
			pods.WaitForScheduled(ctx, e, pod)
			pods.DeleteWithClaim(ctx, e, pod)
		}
	},
}

// unitDevices returns a counter set with some units, and devices that consume one unit each.
func unitDevices(units int64, count int) *simulated.Inventory {
	inventory := &simulated.Inventory{CounterSets: []resourceapi.CounterSet{{Name: "set", Counters: fixture.Units(units)}}}
	for i := range count {
		inventory.Devices = append(inventory.Devices, fixture.Consumer(fmt.Sprintf("part-%d", i), "set", 1))
	}
	return inventory
}
