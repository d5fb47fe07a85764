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

// taintOnOneOfAllDevices publishes three devices, one of them with a taint. One
// claim requests all devices, and another one tolerates the taint in addition.
var taintOnOneOfAllDevices = suite.Spec{
	ID:           "taint-on-one-of-all-devices",
	Description:  "A request with allocationMode All is not satisfied if it does not tolerate a taint of one of the devices. If it tolerates it, it is allocated all of them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5055-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card-0", "card-1", "card-2")
		inventory.Devices[1].Taints = []resourceapi.DeviceTaint{noSchedule}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)

		claim := devices.NewDeviceClaim(fixture.AnyDevice(sim))
		claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaim(ctx, e, "intolerant", claim)
		pods.WaitForUnschedulable(ctx, e, "intolerant", "it requests all devices, and one of them has a taint that it does not tolerate")

		claim = *claim.DeepCopy()
		claim.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{tolerate(worn, noSchedule.Effect)}
		pods.CreateWithClaim(ctx, e, "tolerant", claim)
		expect.ScheduledFor(ctx, e, "tolerant", "it requests all devices and tolerates the taint", "device", "device", "device")
	},
}
