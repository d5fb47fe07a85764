// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceDevicePluginComesFirst creates a node with one of an extended
// resource of a device plugin, and a device that provides the same resource. Two
// pods request the resource, and one has a claim for the device.
var extendedResourceDevicePluginComesFirst = suite.Spec{
	ID:           "extended-resource-device-plugin-comes-first",
	Description:  "If a device plugin provides an extended resource on a node, pods are not allocated devices for it there, even if the resource of the plugin is used up.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-device-plugin-comes-first"},
	Body: func(ctx context.Context, e *env.Env) {
		card := simulated.ExtendedResource(e, "card")
		plugin := simulated.WithDevicePlugin(map[int]corev1.ResourceList{0: {card: resource.MustParse("1")}})
		sim := simulated.CreateNodes(ctx, e, 1, plugin)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		createPod(ctx, e, "first", card)
		pods.WaitForScheduled(ctx, e, "first")
		expectNoClaim(ctx, e, "first", "a device plugin provides the extended resource on the only node")
		createPod(ctx, e, "second", card)
		pods.WaitForUnschedulable(ctx, e, "second", "pod first uses what the device plugin of the only node provides")
		pods.CreateWithRequests(ctx, e, "claims", fixture.RequestFor(sim, "card"))
		pods.WaitForScheduled(ctx, e, "claims")
	},
}
