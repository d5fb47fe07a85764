// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForEachOfAllDevices publishes two devices with binding conditions, and creates a
// pod that requests all devices. First one of them is ready, then both are.
var bindingWaitsForEachOfAllDevices = suite.Spec{
	ID:           "binding-waits-for-each-of-all-devices",
	Description:  "An allocation for a request for all devices has the conditions of each device, and the pod is bound only when each of them is ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5007-conditions-are-recorded", "5007-waits-for-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fabric("card-0", "card-1")
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		all := devices.NewDeviceClaim(fixture.AnyDevice(sim))
		all.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
		pods.CreateWithClaim(ctx, e, "all", all)
		results := claims.WaitForAllocation(ctx, e, "all", "its devices are free").Results
		gomega.Expect(results).To(gomega.HaveLen(2), "claim all requests all devices")
		for _, result := range results {
			for _, device := range inventory.Devices {
				if device.Name == result.Device {
					expectRecorded(result, device)
				}
			}
		}
		report(ctx, e, "all", map[string]conditions{"card-0": ready})
		expectWaiting(ctx, e, map[string]string{"all": "the second of all devices is not ready"})
		reportReady(ctx, e, "all")
		pods.WaitForScheduled(ctx, e, "all")
	},
}
