// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// earlierReservationIsCompleted creates two pods with two claims each. While scheduling gates
// hold the pods back, it allocates one claim of each and reserves it for its pod, as a
// scheduler that ends before it has written the other claim. This is the first claim of one
// pod, and the last of the other.
var earlierReservationIsCompleted = suite.Spec{
	ID:           "earlier-reservation-is-completed",
	Description:  "If one claim of a pod is allocated and reserved for it already, the other claims of the pod are allocated and reserved, too, before the pod is bound.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-claims-before-binding"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk", "first", "last"))
		createInterrupted(ctx, e, sim, "reserved-first", "card", "card", "first")
		createInterrupted(ctx, e, sim, "reserved-last", "disk", "last", "disk")
		pods.WaitForScheduled(ctx, e, "reserved-first", "reserved-last")
		claims.WaitForConsumers(ctx, e, "first", "pod reserved-first was bound", 1)
		claims.WaitForConsumers(ctx, e, "last", "pod reserved-last was bound", 1)
	},
}

// createInterrupted creates a pod with claims for devices, which have the names of their
// devices. One of the devices is allocated to its claim, which is reserved for the pod.
func createInterrupted(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod, reserved string, all ...string) {
	ginkgo.GinkgoHelper()
	for _, device := range all {
		_, err := claims.Create(ctx, e, device, devices.NewDeviceClaim(fixture.RequestFor(sim, device)))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
	allocateOnFirstNode(ctx, e, sim, reserved, reserved)
	pods.CreateUsingClaims(ctx, e, pod, pods.Options{Change: addGate}, all...)
	gomega.Expect(claims.ReserveForPod(ctx, e, reserved, pod)).To(gomega.Succeed())
	pods.RemoveSchedulingGates(ctx, e, pod)
}
