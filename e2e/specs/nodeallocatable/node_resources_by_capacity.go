// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// nodeResourcesByCapacity publishes a shared device with 100 cores of one and a
// half cpus each on a node with 64 cpus. Claims request parts of it.
var nodeResourcesByCapacity = suite.Spec{
	ID:          "node-resources-by-capacity",
	Description: "If a device stands for resources by its capacity, a claim uses the amount that it consumes, times a factor.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(resourceFeatures, []features.Feature{features.SharedDevices}),
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-by-capacity",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := createNode(ctx, e)
		cores := resourceapi.QualifiedName(sim.Driver + "/cores")
		inventory := withResource(corev1.ResourceCPU, resourceapi.NodeAllocatableResource{Mapping: &resourceapi.NodeAllocatableMapping{
			CapacityKey: &cores, CapacityMultiplier: ptr.To(resource.MustParse("1500m")),
		}}, "socket")
		inventory.Devices[0].AllowMultipleAllocations = ptr.To(true)
		inventory.Devices[0].Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{cores: {Value: resource.MustParse("100")}}
		createPool(ctx, sim, inventory)
		request := func(amount string) resourceapi.DeviceClaim {
			claim := devices.NewDeviceClaim(fixture.AnyDevice(sim))
			claim.Requests[0].Exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{cores: resource.MustParse(amount)}}
			return claim
		}

		pods.CreateWithClaim(ctx, e, "first", request("20"))
		pods.WaitForScheduled(ctx, e, "first")
		pods.CreateWithClaim(ctx, e, "second", request("24"))
		pods.WaitForUnschedulable(ctx, e, "second", "its 24 cores are 36 cpus, and 30 of the 64 cpus of the node are used")
		pods.CreateWithClaim(ctx, e, "third", request("20"))
		pods.WaitForScheduled(ctx, e, "third")
	},
}
