// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// poolStatusCountsDevices publishes a pool of two slices, and requests its status
// before devices are allocated, while two are, and after their release. Meanwhile, devices of
// the same names are published in another pool, and by another driver in a pool of the same
// name, where a pod has all of them.
var poolStatusCountsDevices = suite.Spec{
	ID:          "pool-status-counts-devices",
	Description: "The status of a pool has its node, its generation and the numbers of its slices, devices, allocated and available devices. Devices of the same names in other pools or of other drivers do not count.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    statusFeatures,
	Component:   env.ControllerManager,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5677-answered", "5677-counts", "5677-pool",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		of := func(names ...string) resourceapi.ResourceSliceSpec {
			return resourceapi.ResourceSliceSpec{Pool: resourceapi.ResourcePool{Name: node, Generation: 3}, NodeName: &node, Devices: fixture.Devices(names...).Devices}
		}
		sim.CreateSlices(ctx, of("a", "b", "c"), of("d", "e"))
		all := newRequests(e)
		request := resourcev1alpha3.ResourcePoolStatusRequestSpec{Driver: sim.Driver}
		with := func(allocated int32) report {
			return report{matching: 1, pools: []pool{{name: node, node: node, generation: 3, slices: 2, total: 5, allocated: allocated, available: 5 - allocated}}}
		}
		all.expectReport(ctx, "no device is allocated", request, with(0))

		pods.CreateWithRequests(ctx, e, "pair", []devices.Request{{Name: "device", Device: sim.Device(""), Count: 2}})
		pods.WaitForScheduled(ctx, e, "pair")
		all.expectReport(ctx, "a claim has two devices", request, with(2))

		names := []string{"a", "b", "c", "d", "e"}
		sim.CreatePool(ctx, simulated.Pool{Name: node + "-more", Node: node}, fixture.Devices(names...))
		other := sim.AddDriver(ctx)
		other.CreatePool(ctx, simulated.Pool{Name: node, Node: node}, fixture.Devices(names...))
		pods.CreateWithRequests(ctx, e, "others", []devices.Request{{Name: "device", Device: other.Device(""), Count: int64(len(names))}})
		pods.WaitForScheduled(ctx, e, "others")
		withMore := func(allocated int32) report {
			return report{matching: 2, pools: append(with(allocated).pools, free(node+"-more", node, 5))}
		}
		all.expectReport(ctx, "devices of the same names are in another pool and of another driver", request, withMore(2))
		pods.DeleteWithClaim(ctx, e, "pair")
		all.expectReport(ctx, "the devices were released", request, withMore(0))
	},
}
