// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintOnOneOfSeveralDevicesKeepsPodsAway publishes several devices of three kinds, of which
// the first, the last, or one in the middle has a taint. Claims have one request for two
// devices of a kind.
var taintOnOneOfSeveralDevicesKeepsPodsAway = suite.Spec{
	ID:           "taint-on-one-of-several-devices-keeps-pods-away",
	Description:  "A request for several devices gets none with a taint that it does not tolerate, neither as its first device nor as a later one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5055-no-schedule"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("first-0", "first-1", "last-0", "last-1", "middle-0", "middle-1", "middle-2")
		for i := range inventory.Devices {
			switch device := &inventory.Devices[i]; device.Name {
			case "first-0", "last-1", "middle-1":
				device.Taints = []resourceapi.DeviceTaint{noSchedule}
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		create := func(pod, kind string, tolerations ...resourceapi.DeviceToleration) {
			claim := devices.NewDeviceClaim([]devices.Request{{Name: "two", Device: fixture.SubRequestFor(sim, kind).Device, Count: 2}})
			claim.Requests[0].Exactly.Tolerations = tolerations
			pods.CreateWithClaim(ctx, e, pod, claim)
		}
		create("first", "first")
		create("last", "last")
		pods.WaitForEachUnschedulable(ctx, e, map[string]string{
			"first": "the first of the two devices for its request has a taint",
			"last":  "the second of the two devices for its request has a taint",
		})
		create("middle", "middle")
		var got []string
		for _, device := range pods.WaitForScheduled(ctx, e, "middle") {
			got = append(got, device.Device)
		}
		gomega.Expect(got).To(gomega.ConsistOf("middle-0", "middle-2"), "claim middle should have the devices without a taint")
		create("tolerant", "last", tolerate(worn, noSchedule.Effect))
		pods.WaitForScheduled(ctx, e, "tolerant")
	},
}
