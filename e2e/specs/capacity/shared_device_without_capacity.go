// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceWithoutCapacity publishes a device that allows multiple allocations
// and has no capacity. Several claims request it.
var sharedDeviceWithoutCapacity = suite.Spec{
	ID:           "shared-device-without-capacity",
	Description:  "A device that allows multiple allocations and has no capacity is shared by any number of claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     sharedDeviceFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-unlimited-without-capacity"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card")
		inventory.Devices[0].AllowMultipleAllocations = ptr.To(true)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		for i := range 5 {
			user := fmt.Sprintf("user-%d", i)
			pods.CreateWithRequests(ctx, e, user, fixture.RequestFor(sim, "card"))
			waitForShares(ctx, e, user)
		}
	},
}
