// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// deletedUnusedClaimEnds creates two claims that a scheduler leaves that ends at different
// points before it binds a pod: one is allocated, and one has only the finalizer that a
// scheduler adds before. Nothing ceases to use them when they are deleted.
var deletedUnusedClaimEnds = suite.Spec{
	ID:           "deleted-unused-claim-ends",
	Description:  "A claim that nothing uses is removed when it is deleted, although it is allocated, and its device is allocated to the next claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unused-deleted-claims-end"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		for _, name := range []string{unused, "unallocated"} {
			_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			claims.AddFinalizer(ctx, e, name, resourceapi.Finalizer)
		}
		allocateOnFirstNode(ctx, e, sim, unused, "card")
		createPodFor(ctx, e, sim, "next", "card")
		pods.WaitForUnschedulable(ctx, e, "next", "another claim has the device")
		for _, name := range []string{unused, "unallocated"} {
			claims.DeleteWithoutWaiting(ctx, e, name)
		}
		claims.WaitForDeleted(ctx, e, unused, "nothing uses it")
		claims.WaitForDeleted(ctx, e, "unallocated", "nothing uses it")
		pods.WaitForScheduled(ctx, e, "next")
	},
}
