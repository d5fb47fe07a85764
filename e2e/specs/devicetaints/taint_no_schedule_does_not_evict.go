// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintNoScheduleDoesNotEvict schedules a pod for each of two devices. In one
// update, one device gets a taint of the effect NoSchedule, and the other one of
// the effect NoExecute. The eviction of the second pod shows that the update has
// been processed.
var taintNoScheduleDoesNotEvict = suite.Spec{
	ID:           "taint-no-schedule-does-not-evict",
	Description:  "A pod stays when its device gets a taint of the effect NoSchedule, and keeps the device.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-schedule-does-not-evict"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "card", "card")
		createPodFor(ctx, e, sim, "disk", "disk")
		pods.WaitForScheduled(ctx, e, "card", "disk")

		sim.SetTaints(ctx, sim.Names[0], map[string][]resourceapi.DeviceTaint{"card": {noSchedule}, "disk": {noExecute}})
		pods.WaitForDisrupted(ctx, e, "its device has a taint of the effect NoExecute", "disk")
		pods.ExpectNotEvicted(ctx, e, "its device has only a taint of the effect NoSchedule", "card")
		expect.AllocatedFor(ctx, e, "card", "its pod was not evicted", "device")
	},
}
