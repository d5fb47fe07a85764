// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeResourcesNeedCapableNodes creates two nodes, of which the second one declares
// the feature. It creates ResourceSlices of each node in dry runs, with devices
// that stand for cpus, and with others.
var nodeResourcesNeedCapableNodes = suite.Spec{
	ID:          "node-resources-need-capable-nodes",
	Description: "The API server rejects devices with resources of a node that does not declare the feature, and accepts them of a node that does. It accepts other devices of any node.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    []features.Feature{features.Core, features.NodeAllocatable},
	Component:   env.Cluster,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5517-declared-by-nodes",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2, func(number int, node *corev1.Node) {
			if number == 1 {
				node.Status.DeclaredFeatures = []string{"DRANodeAllocatableResources"}
			}
		})
		incapable, capable := sim.Names[0], sim.Names[1]
		cpus := withResource(corev1.ResourceCPU, mapped("8"), "cpus")
		// The API server may observe the nodes late. It observes the first one first.
		gomega.Eventually(ctx, func(ctx context.Context) error { return dryRunSlice(ctx, e, sim, capable, cpus) }).
			WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "the API server should accept devices with resources of a node that declares the feature")
		err := dryRunSlice(ctx, e, sim, incapable, cpus)
		gomega.Expect(err).To(gomega.Satisfy(apierrors.IsForbidden), "the API server should reject devices with resources of a node that does not declare the feature: %v", err)
		gomega.Expect(dryRunSlice(ctx, e, sim, incapable, fixture.Devices("other"))).To(gomega.Succeed(), "the API server should accept devices without resources of any node")
	},
}

// dryRunSlice creates a ResourceSlice of a node as a dry run.
func dryRunSlice(ctx context.Context, e *env.Env, sim *simulated.Nodes, node string, inventory *simulated.Inventory) error {
	_, err := e.Client.ResourceV1().ResourceSlices().Create(ctx, &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: e.UniqueName() + "-try", Labels: e.Labels},
		Spec: resourceapi.ResourceSliceSpec{
			Driver: sim.Driver, NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: 1}, Devices: inventory.Devices,
		},
	}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}
