// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListToleratesByAlternative publishes a device with a taint. In
// the list of one claim, the second subrequest tolerates the taint and the
// first does not. In the list of another claim, no subrequest tolerates it.
var prioritizedListToleratesByAlternative = suite.Spec{
	ID:          "prioritized-list-tolerates-by-alternative",
	Description: "A device with a taint is allocated for a subrequest that tolerates it, and not for another subrequest of the same request.",
	Profile:     profile,
	Features:    append([]features.Feature{features.DeviceTaints}, simulatedFeatures...),
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-tolerations-of-an-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card", "disk")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "draconform.dev/worn", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)

		claim := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", withName("intolerant", fixture.SubRequestFor(sim, "card")), withName("tolerant", fixture.SubRequestFor(sim, "card")), fixture.SubRequestFor(sim, "disk"))})
		claim.Requests[0].FirstAvailable[1].Tolerations = []resourceapi.DeviceToleration{{Key: "draconform.dev/worn", Operator: resourceapi.DeviceTolerationOpExists}}
		pods.CreateWithClaim(ctx, e, "tolerant", claim)
		expect.ScheduledFor(ctx, e, "tolerant", "the card has a taint that only the second alternative tolerates", "list/tolerant")
		pods.DeleteWithClaim(ctx, e, "tolerant")

		pods.CreateWithRequests(ctx, e, "intolerant", []devices.Request{fixture.FirstAvailable("list", fixture.SubRequestFor(sim, "card"), fixture.SubRequestFor(sim, "disk"))})
		expect.ScheduledFor(ctx, e, "intolerant", "the card has a taint that its alternative does not tolerate", "list/disk")
	},
}
