// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// preemptionIsNotInVain lets a pod of the default priority have the only device of
// a node, and a pod of a low priority most of its CPUs. Another pod of the default
// priority needs both. When the device is free, a pod like it evicts the pod of
// the low priority.
var preemptionIsNotInVain = suite.Spec{
	ID:           "preemption-is-not-in-vain",
	Description:  "No pod is evicted to make room for a pod whose claim cannot be allocated on the node, because a pod that must not be evicted has the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-no-preemption-in-vain", "4381-scheduling-preemption-for-room"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		class := pods.CreatePriorityClass(ctx, e, "low", low)
		findOutPreemption(ctx, e, sim.Names[0], class)
		card := devices.NewDeviceClaim(fixture.RequestFor(sim, "card"))
		createPodWith(ctx, e, "holder", ofClass(""), card)
		_, err := pods.Create(ctx, e, "neighbour", large(class))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForScheduled(ctx, e, "holder", "neighbour")

		createPodWith(ctx, e, "first", large(""), card)
		pods.WaitForUnschedulable(ctx, e, "first", "claim holder has its device")
		pods.ExpectNotEvicted(ctx, e, "without it there would be room for pod first, and still no device", "neighbour", "holder")

		// The same pod need not be tried again at the right time: it lacked room.
		pods.DeleteWithClaim(ctx, e, "first")
		pods.DeleteWithClaim(ctx, e, "holder")
		createPodWith(ctx, e, "second", large(""), card)
		pods.WaitForEvicted(ctx, e, "a pod with a higher priority needs its room, and the device of that pod is free", "neighbour")
		pods.WaitForScheduled(ctx, e, "second")
	},
}
