// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceProvidersAreMixed creates a node with an extended resource of a
// device plugin, and a device of another extended resource. Both have a
// DeviceClass. A pod requests both.
var extendedResourceProvidersAreMixed = suite.Spec{
	ID:           "extended-resource-providers-are-mixed",
	Description:  "The claim of a pod is for those of its extended resources that no device plugin provides on its node.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // 1.34 requests devices for both.
	Requirements: []string{"5004-rest-of-resources"},
	Body: func(ctx context.Context, e *env.Env) {
		card := simulated.ExtendedResource(e, "card")
		disk := simulated.ExtendedResource(e, "disk")
		plugin := simulated.WithDevicePlugin(map[int]corev1.ResourceList{0: {disk: resource.MustParse("1")}})
		sim := simulated.CreateNodes(ctx, e, 1, plugin)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "disk"))
		createPod(ctx, e, "pod", card, disk)
		waitForDevices(ctx, e, "pod", "a device plugin provides the other extended resource", "card")
		_, mappings := pods.WaitForExtendedClaim(ctx, e, "pod")
		var mapped []string
		for _, m := range mappings {
			mapped = append(mapped, m.ResourceName)
		}
		gomega.Expect(mapped).To(gomega.ConsistOf(string(card)), "the status of pod pod should map only the extended resource of the device")
	},
}
