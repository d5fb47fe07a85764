// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// devicesAreToldApart publishes devices of the same names in two pools of a node,
// and in the pools of a second driver, which have the same names and another generation. One
// request is for devices of all pools, by a DeviceClass without selectors. A claim has one
// device of each pool of the first driver. All devices are requested then, except for the
// spare ones: with consumable capacity, the scheduler of 1.34 ends itself if a request is for
// more devices than a ResourceSlice has.
var devicesAreToldApart = suite.Spec{
	ID:           "devices-are-told-apart",
	Description:  "Devices of the same name in other pools or of other drivers are other devices: each can be allocated as long as it is not allocated itself. One request can be for devices of several pools and drivers.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-identity-of-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		first := simulated.CreateNodes(ctx, e, 1)
		second := first.AddDriver(ctx)
		node := first.Names[0]
		drivers := map[string]*simulated.Nodes{"one": first, "two": second}
		for _, pool := range []string{"in", "in/more"} {
			for name, driver := range drivers {
				generation := map[string]int64{"one": 2, "two": 7}[name]
				driver.CreatePool(ctx, simulated.Pool{Name: node + "/" + pool, Node: node, Generation: generation}, inPool(pool, "card", "disk", "spare-0", "spare-1"))
			}
		}
		expectOfAllPools(ctx, e, first, second)
		both := []devices.Request{{Name: "in", Device: deviceIn(first, "in", "card")}, {Name: "more", Device: deviceIn(first, "in/more", "card")}}
		pods.CreateWithRequests(ctx, e, "both", both)
		pods.WaitForScheduled(ctx, e, "both")
		var free, used []string
		for name, driver := range drivers {
			for _, pool := range []string{"in", "in/more"} {
				for _, device := range []string{"card", "disk"} {
					pod := fmt.Sprintf("%s-%s-%s", device, strings.ReplaceAll(pool, "/", "-"), name)
					pods.CreateWithRequests(ctx, e, pod, fixture.One(deviceIn(driver, pool, device)))
					if driver == first && device == "card" {
						used = append(used, pod)
					} else {
						free = append(free, pod)
					}
				}
			}
		}
		pods.WaitForAllUnschedulable(ctx, e, "another claim has their devices, one of each pool", used...)
		pods.WaitForScheduled(ctx, e, free...)
		pods.DeleteWithClaim(ctx, e, "both")
		pods.WaitForScheduled(ctx, e, used...)
		expectNotJoined(ctx, e, first)
	},
}

// expectNotJoined asserts that two devices are told apart whose names and those of their pools
// are the same if a dash joins them.
func expectNotJoined(ctx context.Context, e *env.Env, sim *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	node := sim.Names[0]
	for pool, device := range map[string]string{"left": "right-card", "left-right": "card"} {
		sim.CreatePool(ctx, simulated.Pool{Name: node + "/" + pool, Node: node}, inPool(pool, device))
		pods.CreateWithRequests(ctx, e, pool, fixture.One(deviceIn(sim, pool, device)))
		pods.WaitForScheduled(ctx, e, pool)
	}
}

// inPool returns devices with these names that have the pool as an attribute.
func inPool(pool string, names ...string) *simulated.Inventory {
	inventory := fixture.Devices(names...)
	for i := range inventory.Devices {
		inventory.Devices[i].Attributes["pool"] = resourceapi.DeviceAttribute{StringValue: &pool}
	}
	return inventory
}

// deviceIn returns a request for a device of [inPool].
func deviceIn(sim *simulated.Nodes, pool, name string) subject.Device {
	return sim.Device(withOwn(sim, fmt.Sprintf("own.name == %q && own.pool == %q", name, pool)))
}

// expectOfAllPools asserts that a request gets the disks of all four pools of the drivers.
func expectOfAllPools(ctx context.Context, e *env.Env, first, second *simulated.Nodes) {
	ginkgo.GinkgoHelper()
	claim := fixture.ClaimOfClass(claims.CreateDeviceClassWithSpec(ctx, e, "every-device", resourceapi.DeviceClassSpec{}), 4)
	selector := fmt.Sprintf("device.driver in [%q, %q] && device.attributes[device.driver].name == 'disk'", first.Driver, second.Driver)
	claim.Requests[0].Exactly.Selectors = []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: selector}}}
	pods.CreateWithClaim(ctx, e, "all-pools", claim)
	pods.WaitForScheduled(ctx, e, "all-pools")
	pods.DeleteWithClaim(ctx, e, "all-pools")
}
