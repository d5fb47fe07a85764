// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// adminAccessKeepsToTaints publishes a device with a taint, and creates claims with
// admin access to it, or to all devices, that tolerate the taint or not.
var adminAccessKeepsToTaints = suite.Spec{
	ID:           "admin-access-keeps-to-taints",
	Description:  "A request for admin access needs a toleration for the taints of a device like others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.DeviceTaints}, adminFeatures...),
	Component:    env.Scheduler,
	Needs:        allDevicesNeeds,
	Requirements: []string{"5018-taints-count"},
	Body: func(ctx context.Context, e *env.Env) {
		namespaces.AllowAdminAccess(ctx, e)
		sim := simulated.CreateNodes(ctx, e, 1)
		taint := resourceapi.DeviceTaint{Key: "draconform.dev/worn", Effect: resourceapi.DeviceTaintEffectNoSchedule}
		inventory := fixture.Devices("card", "disk")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{taint}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		createMonitors(ctx, e, sim, "disk", "free")
		pods.WaitForScheduled(ctx, e, "free")
		createMonitors(ctx, e, sim, "card", "intolerant")
		pods.WaitForUnschedulable(ctx, e, "intolerant", "its device has a taint that its claim does not tolerate")
		tolerant := withAdminAccess(fixture.RequestFor(sim, "card"))
		tolerant.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: taint.Key, Operator: resourceapi.DeviceTolerationOpExists}}
		pods.CreateWithClaim(ctx, e, "tolerant", tolerant)
		pods.WaitForScheduled(ctx, e, "tolerant")

		all := withAdminAccess(fixture.AnyDevice(sim))
		all.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaim(ctx, e, "all-intolerant", all)
		pods.WaitForUnschedulable(ctx, e, "all-intolerant", "one of all devices has a taint that its claim does not tolerate")
		all = *all.DeepCopy()
		all.Requests[0].Exactly.Tolerations = tolerant.Requests[0].Exactly.Tolerations
		pods.CreateWithClaim(ctx, e, "all-tolerant", all)
		expect.ScheduledFor(ctx, e, "all-tolerant", "it tolerates the taint of one of all devices", "device", "device")
	},
}
