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
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourcePluginWithoutDevices creates a node whose status has an extended
// resource with the amount zero, which a kubelet leaves there when a device plugin
// goes, and a device that provides the resource.
var extendedResourcePluginWithoutDevices = suite.Spec{
	ID:           "extended-resource-plugin-without-devices",
	Description:  "Devices provide an extended resource on a node whose status has none of it, although the status names the resource.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // 1.34 does not schedule pods to such a node.
	Requirements: []string{"5004-plugin-without-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		card := simulated.ExtendedResource(e, "card")
		plugin := simulated.WithDevicePlugin(map[int]corev1.ResourceList{0: {card: resource.MustParse("0")}})
		sim := simulated.CreateNodes(ctx, e, 1, plugin)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		createPod(ctx, e, "pod", card)
		waitForDevices(ctx, e, "pod", "the device plugin of the node has none", "card")
	},
}
