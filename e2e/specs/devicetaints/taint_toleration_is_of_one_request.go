// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintTolerationIsOfOneRequest publishes two devices with the same taint. In
// one claim, only the first of two requests tolerates it, and in another claim
// both do.
var taintTolerationIsOfOneRequest = suite.Spec{
	ID:           "taint-toleration-is-of-one-request",
	Description:  "The toleration of a request does not apply to the other requests of its claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-tolerations-of-a-request"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, withTaint(noSchedule, "card", "disk"))
		claim := devices.NewDeviceClaim([]devices.Request{
			{Name: "card", Device: fixture.SubRequestFor(sim, "card").Device}, {Name: "disk", Device: fixture.SubRequestFor(sim, "disk").Device},
		})
		claim.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{tolerate(worn, noSchedule.Effect)}
		pods.CreateWithClaim(ctx, e, "one", claim)
		pods.WaitForUnschedulable(ctx, e, "one", "its request disk does not tolerate the taint")

		claim = *claim.DeepCopy()
		claim.Requests[1].Exactly.Tolerations = claim.Requests[0].Exactly.Tolerations
		pods.CreateWithClaim(ctx, e, "both", claim)
		expect.ScheduledFor(ctx, e, "both", "both requests tolerate the taint", "card", "disk")
	},
}
