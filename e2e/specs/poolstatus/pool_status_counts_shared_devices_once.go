// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusCountsSharedDevicesOnce publishes two shared devices with two capacities, of which
// claims consume different amounts. Two claims share one of the devices, and the status of the
// pool is requested.
var poolStatusCountsSharedDevicesOnce = suite.Spec{
	ID:          "pool-status-counts-shared-devices-once",
	Description: "A device that several claims share is one allocated device, and the status of its pool has how much they consume of each capacity.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(statusFeatures, []features.Feature{features.SharedDevices}),
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Since:       "1.37", // The capacity is not reported before.
	Requirements: []string{
		"5677-shared-device-counts-once", "5677-shareable-summary",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		inventory := fixture.SharedDevices(nil, "busy", "idle")
		for i := range inventory.Devices {
			inventory.Devices[i].Capacity["memory"] = resourceapi.DeviceCapacity{
				Value: resource.MustParse("16"), RequestPolicy: &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("3")), ValidValues: []resource.Quantity{resource.MustParse("3"), resource.MustParse("4")}},
			}
		}
		sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		all := newRequests(e)
		request := resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}
		unused := free(node, node, 2)
		unused.shared = shares{unused: 2, capacities: consumed("memory", 0, 32, 32) + "; " + consumed("slots", 0, 2*fixture.Slots, 2*fixture.Slots)}
		all.expectReport(ctx, "no claim shares a device", request, report{matching: 1, pools: []pool{unused}})

		for _, name := range []string{"first", "second"} {
			pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, "busy"))
		}
		pods.WaitForScheduled(ctx, e, "first", "second")
		used := unused
		used.allocated, used.available = 1, 1
		used.shared = shares{unused: 1, used: 1, capacities: consumed("slots", 2, 2*fixture.Slots, 2*fixture.Slots-2) + "; " + consumed("memory", 6, 32, 26)}
		all.expectReport(ctx, "two claims share one of two devices", request, report{matching: 1, pools: []pool{used}})
	},
}
