// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceProvidersDifferByNode creates two nodes with devices for two
// extended resources. A device plugin provides one of the resources on the first node.
// There is enough for all pods on both nodes, so that a scheduler considers both for
// each of the pods.
var extendedResourceProvidersDifferByNode = suite.Spec{
	ID:           "extended-resource-providers-differ-by-node",
	Description:  "The claim of a pod is for what no device plugin provides on the node of the pod, whatever device plugins provide on other nodes that suit the pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Since:        "1.35", // 1.34 requests devices for both resources.
	Requirements: []string{"5004-rest-of-resources", "5004-nodes-differ"},
	Body: func(ctx context.Context, e *env.Env) {
		const users = 12
		card, disk := simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "disk")
		plugin := simulated.WithDevicePlugin(map[int]corev1.ResourceList{0: {disk: *resource.NewQuantity(users, resource.DecimalSI)}})
		sim := simulated.CreateNodes(ctx, e, 2, plugin)
		var names, pending []string
		for i := range users {
			names = append(names, fmt.Sprintf("card-%d", i), fmt.Sprintf("disk-%d", i))
			pending = append(pending, fmt.Sprintf("pod-%d", i))
		}
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices(names...))
		}
		cards := sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		disks := sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "disk"))
		for _, pod := range pending {
			createPod(ctx, e, pod, card, disk)
		}
		pods.WaitForScheduled(ctx, e, pending...)
		for _, pod := range pending {
			want := []use{{pods.MainContainer, card, cards.Class, 1}}
			why := "a device plugin provides the other one on its node"
			if pods.GetNode(ctx, e, pod) == sim.Names[1] {
				want = append(want, use{pods.MainContainer, disk, disks.Class, 1})
				why = "its node has no device plugins"
			}
			claim, mappings := pods.WaitForExtendedClaim(ctx, e, pod)
			gomega.Expect(usesOf(claim, mappings)).To(gomega.ConsistOf(want), "the claim of pod %s should be for %d extended resources, because %s", pod, len(want), why)
			gomega.Expect(claim.Spec.Devices.Requests).To(gomega.HaveLen(len(want)), "the claim of pod %s should have no other requests", pod)
		}
	},
}
