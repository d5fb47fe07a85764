// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// preemptionMakesRoomForClaims publishes two devices on a node. A pod of a low
// priority has one of them and most of the CPUs of the node, and another pod of
// this priority waits for its device. A pod of a higher priority needs as many
// CPUs and the other device. Then another one needs the CPUs of a second node, and shares a
// claim that is allocated there already.
var preemptionMakesRoomForClaims = suite.Spec{
	ID:           "preemption-makes-room-for-claims",
	Description:  "A pod with a claim that lacks room on the node of its device is scheduled there after a pod of a lower priority is evicted. The device of the evicted pod is allocated for a pod that waits for it. The claim may be allocated already.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-preemption-for-room", "4381-scheduling-released-devices-wake-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("board"))
		class := pods.CreatePriorityClass(ctx, e, "low", low)
		findOutPreemption(ctx, e, sim.Names[0], class)
		createPodWith(ctx, e, "victim", large(class), devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		pods.WaitForScheduled(ctx, e, "victim")
		createPodWith(ctx, e, "waiting", ofClass(class), devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		pods.WaitForUnschedulable(ctx, e, "waiting", "claim victim has its device")

		createPodWith(ctx, e, "preemptor", large(""), devices.NewDeviceClaim(fixture.RequestFor(sim, "disk")))
		pods.WaitForEvicted(ctx, e, "a pod with a higher priority needs its room, and the device of that pod is free", "victim")
		pods.WaitForScheduled(ctx, e, "preemptor", "waiting")

		createPodWith(ctx, e, "shared", ofClass(""), devices.NewDeviceClaim(fixture.RequestFor(sim, "board")))
		neighbour := large(class)
		neighbour.Node = sim.Names[1]
		pods.CreateUsingClaims(ctx, e, "neighbour", neighbour)
		pods.WaitForScheduled(ctx, e, "shared", "neighbour")
		pods.CreateUsingClaims(ctx, e, "sharer", large(""), "shared")
		pods.WaitForEvicted(ctx, e, "a pod with a higher priority shares a claim on its node, and needs its room", "neighbour")
		pods.WaitForScheduled(ctx, e, "sharer")
	},
}
