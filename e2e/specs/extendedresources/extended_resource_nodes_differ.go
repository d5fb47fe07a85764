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

// extendedResourceNodesDiffer creates a node with one of an extended resource of a
// device plugin, and one with a device that provides the same resource. Three pods
// request the resource, one after the other.
var extendedResourceNodesDiffer = suite.Spec{
	ID:           "extended-resource-nodes-differ",
	Description:  "A device plugin can provide an extended resource on one node, and a device on another. Pods run on either, and have a claim only on the latter.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-nodes-differ"},
	Body: func(ctx context.Context, e *env.Env) {
		card := simulated.ExtendedResource(e, "card")
		plugin := simulated.WithDevicePlugin(map[int]corev1.ResourceList{0: {card: resource.MustParse("1")}})
		sim := simulated.CreateNodes(ctx, e, 2, plugin)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[1]}, fixture.Devices("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		for _, pod := range []string{"first", "second"} {
			createPod(ctx, e, pod, card)
			pods.WaitForScheduled(ctx, e, pod)
			if pods.GetNode(ctx, e, pod) == sim.Names[0] {
				expectNoClaim(ctx, e, pod, "a device plugin provides the extended resource on its node")
			} else {
				waitForDevices(ctx, e, pod, "it is the device of its node", "card")
			}
		}
		createPod(ctx, e, "third", card)
		pods.WaitForUnschedulable(ctx, e, "third", "what the device plugin and the device provide is in use")
	},
}
