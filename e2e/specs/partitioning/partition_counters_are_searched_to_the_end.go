// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionCountersAreSearchedToTheEnd publishes large devices before small ones. A claim
// for several devices fits only if it gets no large one. On another node, a claim has nine
// requests, of which each must get the last device that it accepts, and two pairs of requests
// for devices of one card. They fit only if the first one of a pair gets the small device,
// which is published before the large one or after it. On a third node, the same holds for two
// claims of a pod.
var partitionCountersAreSearchedToTheEnd = suite.Spec{
	ID:           "partition-counters-are-searched-to-the-end",
	Description:  "Devices whose counters suffice for all of them are found, although thousands of other combinations overdraw the counters and may be tried first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.36", // Before, the scheduler tries devices of a request in each order, which takes too long.
	Requirements: []string{"4815-partitions-fit-together", "4381-scheduling-any-combination"},
	Body: func(ctx context.Context, e *env.Env) {
		const large, small, count = 12, 8, 8
		inventory := &simulated.Inventory{CounterSets: []resourceapi.CounterSet{{Name: "card", Counters: fixture.Units(4 * count)}}}
		for i, amount := range slices.Concat(slices.Repeat([]int64{9}, large), slices.Repeat([]int64{4}, small)) {
			inventory.Devices = append(inventory.Devices, fixture.Consumer(fmt.Sprintf("part-%02d", i), "card", amount))
		}
		sim := simulated.CreateNodes(ctx, e, 3)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		createFor := func(pod string, number int64) {
			parts := []devices.Request{{Name: "parts", Device: sim.Device(""), Count: number}}
			pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[0], devices.NewDeviceClaim(parts))
		}
		createFor("too-many", count+1)
		pods.WaitForUnschedulable(ctx, e, "too-many", "the counter does not suffice for any nine of the devices")
		createFor("small", count)
		pods.WaitForScheduled(ctx, e, "small")

		numbered, requests := fixture.Numbered(sim, 9)
		for i, card := range []string{"rising", "falling"} {
			order := []int64{1, 3, 2}
			if i > 0 {
				order = []int64{3, 1, 2}
			}
			numbered.CounterSets = append(numbered.CounterSets, resourceapi.CounterSet{Name: card, Counters: fixture.Units(4)})
			for _, amount := range order {
				numbered.Devices = append(numbered.Devices, fixture.Consumer(fmt.Sprintf("%s-%d", card, amount), card, amount))
			}
			odd := sim.Device(fmt.Sprintf("device.attributes[%[1]q].name in ['%[2]s-1', '%[2]s-3']", sim.Driver, card))
			half := fixture.RequestFor(sim, card+"-2")[0].Device
			requests = append(requests, devices.Request{Name: card + "-first", Device: odd}, devices.Request{Name: card + "-second", Device: half})
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, numbered)
		pods.CreateWithClaimOnNode(ctx, e, "nested", sim.Names[1], devices.NewDeviceClaim(requests))
		pods.WaitForScheduled(ctx, e, "nested")

		createJointClaims(ctx, e, sim, sim.Names[2])
	},
}

// createJointClaims publishes two cards with four units on a node. Of the devices that one claim
// of a pod accepts, the first and the last one leave too little of the card for the other claim.
// It asserts that pods with both claims in either order are scheduled.
func createJointClaims(ctx context.Context, e *env.Env, sim *simulated.Nodes, node string) {
	ginkgo.GinkgoHelper()
	joint := &simulated.Inventory{}
	claimsOf := map[string][]resourceapi.DeviceClaim{}
	for _, card := range []string{"wide-first", "narrow-first"} {
		joint.CounterSets = append(joint.CounterSets, resourceapi.CounterSet{Name: card, Counters: fixture.Units(4)})
		for i, amount := range []int64{2, 1, 2, 3} {
			joint.Devices = append(joint.Devices, fixture.Consumer(fmt.Sprintf("%s-%d", card, i), card, amount))
		}
		wide := sim.Device(fmt.Sprintf("device.attributes[%[1]q].name in ['%[2]s-0', '%[2]s-1', '%[2]s-2']", sim.Driver, card))
		claimsOf[card] = []resourceapi.DeviceClaim{devices.NewDeviceClaim(fixture.One(wide)), devices.NewDeviceClaim(fixture.RequestFor(sim, card+"-3"))}
	}
	slices.Reverse(claimsOf["narrow-first"])
	sim.CreatePool(ctx, simulated.Pool{Node: node}, joint)
	for _, set := range joint.CounterSets {
		pods.CreateWithClaims(ctx, e, set.Name, claimsOf[set.Name]...)
		pods.WaitForScheduled(ctx, e, set.Name)
	}
}
