// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceCountConsumesEach publishes two devices with four slots. Two claims have a
// request for two devices with two slots. Whether these are two devices or two shares of one
// differs between releases. Then no slots are left.
var sharedDeviceCountConsumesEach = suite.Spec{
	ID:           "shared-device-count-consumes-each",
	Description:  "Each of the shares that one request gets consumes the amount that the request states.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // The scheduler of 1.34 compares the capacity of other devices.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-consumed-capacity-stated", "5075-requested-amount"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "left", "right"))
		device := sim.Device("")
		device.Capacity = slots(2)
		for _, user := range []string{"first", "second"} {
			pods.CreateWithRequests(ctx, e, user, []devices.Request{{Name: "pair", Device: device, Count: 2}})
			shares := waitForShares(ctx, e, user)
			gomega.Expect(shares).To(gomega.HaveLen(2), "claim %s requests two devices", user)
			for _, share := range shares {
				gomega.Expect(canonical(share.ConsumedCapacity)).To(gomega.Equal(canonical(slots(2))), "the slots that claim %s consumes of device %s", user, share.Device)
			}
		}
		pods.CreateWithRequests(ctx, e, "late", fixture.AnyDevice(sim))
		pods.WaitForUnschedulable(ctx, e, "late", "the slots of both devices are in use")
	},
}
