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

// prioritizedListToleratesForAllDevices publishes two cards, one of them with a taint, and a
// disk. Claims prefer all cards to the disk, with and without a toleration.
var prioritizedListToleratesForAllDevices = suite.Spec{
	ID:           "prioritized-list-tolerates-for-all-devices",
	Description:  "A subrequest for all devices, of which one has a taint, is allocated all of them if it tolerates the taint. Otherwise, the next subrequest counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.DeviceTaints}, simulatedFeatures...),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"4816-all-devices-of-an-alternative", "4816-tolerations-of-an-alternative"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card-0", "card-1", "disk")
		inventory.Devices[1].Taints = []resourceapi.DeviceTaint{{Key: "draconform.dev/worn", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		all := fixture.SubRequestFor(sim, "card")
		all.All = true
		claim := devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", all, fixture.SubRequestFor(sim, "disk"))})
		pods.CreateWithClaim(ctx, e, "intolerant", claim)
		expect.ScheduledFor(ctx, e, "intolerant", "one of the cards has a taint that its alternative does not tolerate", "list/disk")

		claim = *claim.DeepCopy()
		claim.Requests[0].FirstAvailable[0].Tolerations = []resourceapi.DeviceToleration{{Key: "draconform.dev/worn", Operator: resourceapi.DeviceTolerationOpExists}}
		pods.CreateWithClaim(ctx, e, "tolerant", claim)
		expect.ScheduledFor(ctx, e, "tolerant", "its first alternative tolerates the taint of one of the cards", "list/card", "list/card")
	},
}
