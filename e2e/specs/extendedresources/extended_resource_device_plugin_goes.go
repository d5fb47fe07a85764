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

// extendedResourceDevicePluginGoes creates a pod that requests more of an extended resource
// than the device plugin of the only node provides, although the node has enough devices.
// Then the status of the node has none of the resource, as after the end of the plugin.
var extendedResourceDevicePluginGoes = suite.Spec{
	ID:           "extended-resource-device-plugin-goes",
	Description:  "A pod that waits for an extended resource of which the device plugin of a node has too little is allocated devices of the node when the plugin provides none any more.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // 1.34 does not schedule pods to such a node.
	Requirements: []string{"5004-device-plugin-goes"},
	Body: func(ctx context.Context, e *env.Env) {
		card := simulated.ExtendedResource(e, "card")
		plugin := simulated.WithDevicePlugin(map[int]corev1.ResourceList{0: {card: resource.MustParse("1")}})
		sim := simulated.CreateNodes(ctx, e, 1, plugin)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pods.CreateWithResources(ctx, e, "pod", pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{card: 2}})
		pods.WaitForUnschedulable(ctx, e, "pod", "the device plugin of the only node provides one card")

		sim.SetDevicePlugin(ctx, sim.Names[0], corev1.ResourceList{card: resource.MustParse("0")})
		waitForDevices(ctx, e, "pod", "the device plugin of the node has none any more", "card-0", "card-1")
	},
}
