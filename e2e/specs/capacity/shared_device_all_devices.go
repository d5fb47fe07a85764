// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceAllDevices publishes two shared devices. Claims request all devices
// until the capacity of both is used up, and one more. Then a claim is deleted.
var sharedDeviceAllDevices = suite.Spec{
	ID:           "shared-device-all-devices",
	Description:  "A request for all devices is allocated a share of each shared device, as long as their capacity suffices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5075-all-shared-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.SharedDevices(nil, "left", "right"))
		for i := range fixture.Slots {
			user := fmt.Sprintf("user-%d", i)
			fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[0], user)
			gomega.Expect(waitForShares(ctx, e, user)).To(gomega.HaveLen(2), "claim %s should have a share of both devices", user)
		}
		fixture.CreatePodForAllDevices(ctx, e, sim, sim.Names[0], "late")
		pods.WaitForPending(ctx, e, "the slots of both devices are in use", "late")
		pods.DeleteWithClaim(ctx, e, "user-0")
		gomega.Expect(waitForShares(ctx, e, "late")).To(gomega.HaveLen(2), "claim late should have a share of both devices")
	},
}
