// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingTellsDevicesApart publishes devices of the same names in two pools of a driver, and
// in a pool of another driver, which has the name of one of them. Three claims have one device
// of each pool. In each claim, all devices except that of another pool are ready.
var bindingTellsDevicesApart = suite.Spec{
	ID:           "binding-tells-devices-apart",
	Description:  "A pod waits for each of its devices, also if another of them has the same name in another pool or of another driver and is ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		other := sim.AddDriver(ctx)
		places := map[string]place{"left": {sim, "left"}, "right": {sim, "right"}, "other": {other, "left"}}
		names := slices.Sorted(maps.Keys(places))
		for _, name := range names {
			places[name].publish(ctx, "card-0", "card-1", "card-2")
		}
		waiting := map[string]string{}
		for i, name := range names {
			pod := "without-" + name
			var requests []devices.Request
			for _, of := range names {
				requests = append(requests, devices.Request{Name: of, Device: places[of].device(fmt.Sprintf("card-%d", i))})
			}
			pods.CreateWithRequests(ctx, e, pod, requests)
			waiting[pod] = "one of its devices is not ready"
		}
		for _, name := range names {
			pod := "without-" + name
			var statuses []resourceapi.AllocatedDeviceStatus
			for _, result := range claims.WaitForAllocation(ctx, e, pod, "its devices are free").Results {
				if result.Request != name {
					statuses = append(statuses, statusOf(result, ready))
				}
			}
			gomega.Expect(claims.UpdateDeviceStatus(ctx, e, pod, statuses...)).To(gomega.Succeed())
		}
		expectWaiting(ctx, e, waiting)
		for pod := range waiting {
			reportReady(ctx, e, pod)
		}
		pods.WaitForScheduled(ctx, e, slices.Sorted(maps.Keys(waiting))...)
	},
}

// place is a pool of a driver on the first node.
type place struct {
	driver *simulated.Nodes
	pool   string
}

// publish publishes devices that must be ready before pods are bound.
func (p place) publish(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	inventory := fabric(names...)
	for i := range inventory.Devices {
		inventory.Devices[i].Attributes["pool"] = resourceapi.DeviceAttribute{StringValue: &p.pool}
	}
	node := p.driver.Names[0]
	p.driver.CreatePool(ctx, simulated.Pool{Name: node + "-" + p.pool, Node: node}, inventory)
}

// device returns a request for a device of the pool.
func (p place) device(name string) subject.Device {
	selector := fmt.Sprintf("device.attributes[%[1]q].name == %[2]q && device.attributes[%[1]q].pool == %[3]q", p.driver.Driver, name, p.pool)
	return p.driver.Device(selector)
}
