// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// amount is what a request for one of the devices in policies.yaml requests and
// consumes. Consumes is nil if the request does not fit.
type amount struct {
	Name     string
	Device   string
	Asks     amounts
	Consumes amounts
}

// sharedDeviceConsumesByPolicy publishes devices with different request
// policies. For each row of a table it creates a claim, and compares the
// consumed capacity in the allocation.
var sharedDeviceConsumesByPolicy = suite.Spec{
	ID:          "shared-device-consumes-by-policy",
	Description: "A share consumes the requested capacity, rounded up by the capacity's request policy, or the policy's default. The result has the consumed capacity.",
	Profile:     profile,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Since:       "1.35", // The scheduler of 1.34 finds no device for some of these requests.
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-default-amount",
		"5075-rounded-to-a-valid-value",
		"5075-rounded-to-a-step",
		"5075-consumed-capacity-stated",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "policies.yaml"))
		all := fixture.ReadList[amount](data, "amounts.yaml")
		for _, row := range all {
			if row.Consumes != nil {
				pods.CreateWithRequests(ctx, e, row.Name, requestShare(sim, row.Device, row.Asks))
			}
		}
		for _, row := range all {
			if row.Consumes != nil {
				expectConsumed(ctx, e, row.Name, row.Consumes)
			}
		}
	},
}
