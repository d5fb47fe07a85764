// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// endingPodKeepsDevices deletes a pod on a node without a kubelet, so that the pod does not end.
// Another pod waits for its device. Then the first pod is removed by force.
var endingPodKeepsDevices = suite.Spec{
	ID:           "ending-pod-keeps-devices",
	Description:  "The claim of a deleted pod stays allocated and reserved, and holds its device, until the pod has ended.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-ending-pods-hold"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		createPodFor(ctx, e, sim, "holder", "card")
		pods.WaitForScheduled(ctx, e, "holder")
		pods.DeleteGracefully(ctx, e, "holder")

		createPodFor(ctx, e, sim, "next", "card")
		const because = "the pod with its device is being deleted and has not ended"
		pods.WaitForUnschedulable(ctx, e, "next", because)
		pods.ExpectNotBound(ctx, e, "next", because)
		claims.WaitForConsumers(ctx, e, "holder", "its pod is being deleted and has not ended", 1)
		pods.DeleteByForce(ctx, e, "holder")
		pods.WaitForScheduled(ctx, e, "next")
	},
}
