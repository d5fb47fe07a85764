// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimReplacedLetsPodsIn creates a pod whose claim is for a device that no slice
// has. The claim is then replaced by one of the same name for a device that exists.
// Nothing else changes.
var claimReplacedLetsPodsIn = suite.Spec{
	ID:           "claim-replaced-lets-pods-in",
	Description:  "A pod that waits because of its claim is scheduled when the claim is replaced by one of the same name that can be allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Alone:        true,
	Requirements: []string{"4381-scheduling-claims-exist-first"},
	Body: func(ctx context.Context, e *env.Env) {
		e.BoundWakeUps()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		pods.CreateWithRequests(ctx, e, "pod", fixture.RequestFor(sim, "disk"))
		pods.WaitForUnschedulable(ctx, e, "pod", "no slice has the device that its claim is for")
		claims.DeleteWithoutWaiting(ctx, e, "pod")
		claims.WaitForDeleted(ctx, e, "pod", "it is not allocated")
		_, err := claims.Create(ctx, e, "pod", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForScheduled(ctx, e, "pod")
	},
}
