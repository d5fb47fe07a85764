// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingTellsDevicesApart publishes devices of the same name in two pools. Two claims
// have one device of each pool. The device of the first pool is ready in one claim, and
// that of the second pool in the other one.
var bindingTellsDevicesApart = suite.Spec{
	ID:           "binding-tells-devices-apart",
	Description:  "A pod waits for each of its devices, also if another of them has the same name in another pool and is ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		pools := []string{"left", "right"}
		for _, pool := range pools {
			inventory := fabric("card-0", "card-1")
			for i := range inventory.Devices {
				inventory.Devices[i].Attributes["pool"] = resourceapi.DeviceAttribute{StringValue: &pool}
			}
			sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-" + pool, Node: sim.Names[0]}, inventory)
		}
		waiting := map[string]string{}
		for i, pool := range pools {
			name := pool + "-is-ready"
			var requests []devices.Request
			for _, of := range pools {
				selector := fmt.Sprintf("device.attributes[%[1]q].name == %[2]q && device.attributes[%[1]q].pool == %[3]q", sim.Driver, fmt.Sprintf("card-%d", i), of)
				requests = append(requests, devices.Request{Name: of, Device: sim.Device(selector)})
			}
			pods.CreateWithRequests(ctx, e, name, requests)
			waiting[name] = "the device of the other pool is not ready"
		}
		for _, pool := range pools {
			name := pool + "-is-ready"
			for _, result := range claims.WaitForAllocation(ctx, e, name, "its devices are free").Results {
				if result.Request == pool {
					gomega.Expect(claims.UpdateDeviceStatus(ctx, e, name, statusOf(result, ready))).To(gomega.Succeed())
				}
			}
		}
		expectWaiting(ctx, e, waiting)
		for name := range waiting {
			reportReady(ctx, e, name)
		}
		pods.WaitForScheduled(ctx, e, "left-is-ready", "right-is-ready")
	},
}
