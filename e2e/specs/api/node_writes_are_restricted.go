// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeWritesAreRestricted schedules a pod with a generated claim to a node. As the kubelet of this
// node, it creates ResourceSlices and mirror pods, and writes the status of the pod, all in dry
// runs.
var nodeWritesAreRestricted = suite.Spec{
	ID:           "node-writes-are-restricted",
	Description:  "A kubelet can create ResourceSlices of its node, and none of another node or of all nodes. It can create mirror pods, and none with claims. It can write the status of a pod on its node, but not which claims were generated for the pod.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-node-rights-on-slices", "4381-mirror-pods-without-claims", "4381-node-leaves-generated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		here, there := sim.Names[0], sim.Names[1]
		k := actAsKubelet(ctx, e, here, there)
		createTemplate(ctx, e, "template", fixture.RequestFor(sim, "card"))
		createPodFrom(ctx, e, "pod", map[string]string{"entry": "template"})
		pods.WaitForScheduled(ctx, e, "pod")

		k.expectCan(ctx, "create a slice of its node", k.createSlice(sim.Driver, resourceapi.ResourceSliceSpec{NodeName: &here}))
		k.expectCannot(ctx, "create a slice of node "+there, k.createSlice(sim.Driver, resourceapi.ResourceSliceSpec{NodeName: &there}))
		k.expectCannot(ctx, "create a slice of all nodes", k.createSlice(sim.Driver, resourceapi.ResourceSliceSpec{AllNodes: ptr.To(true)}))

		node, err := e.Client.CoreV1().Nodes().Get(ctx, here, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		k.expectCan(ctx, "create a mirror pod", k.createMirrorPod(node))
		k.expectCannot(ctx, "create a mirror pod with a claim", k.createMirrorPod(node, corev1.PodResourceClaim{Name: "entry", ResourceClaimName: ptr.To("claim")}))
		k.expectCannot(ctx, "create a mirror pod with a template of a claim", k.createMirrorPod(node, corev1.PodResourceClaim{Name: "entry", ResourceClaimTemplateName: ptr.To("template")}))

		k.expectCan(ctx, "write a message in the status of a pod on its node", k.patchStatus("pod", `{"status": {"message": "try"}}`))
		k.expectCannot(ctx, "replace the generated claim of a pod on its node", k.patchStatus("pod", `{"status": {"resourceClaimStatuses": [{"name": "entry", "resourceClaimName": "other"}]}}`))
	},
}

// createSlice returns a dry run of a kubelet that creates a ResourceSlice with one device.
func (k kubelet) createSlice(driver string, spec resourceapi.ResourceSliceSpec) func(context.Context) error {
	spec.Driver = driver
	spec.Pool = resourceapi.ResourcePool{Name: k.env.UniqueName() + "-try", Generation: 1, ResourceSliceCount: 1}
	spec.Devices = []resourceapi.Device{{Name: "card"}}
	slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: k.env.UniqueName() + "-try", Labels: k.env.Labels}, Spec: spec}
	return func(ctx context.Context) error {
		_, err := k.client.ResourceV1().ResourceSlices().Create(ctx, slice.DeepCopy(), metav1.CreateOptions{DryRun: allDryRuns})
		return err
	}
}

// createMirrorPod returns a dry run of a kubelet that creates a pod for a static pod of its node,
// with claims that its container uses.
func (k kubelet) createMirrorPod(node *corev1.Node, claims ...corev1.PodResourceClaim) func(context.Context) error {
	return func(ctx context.Context) error {
		pod, err := pods.New(k.env, "try")
		if err != nil {
			return fmt.Errorf("describe a mirror pod: %w", err)
		}
		pod.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "try"}
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID, Controller: ptr.To(true)}}
		pod.Spec.NodeName = node.Name
		pod.Spec.ResourceClaims = claims
		for _, claim := range claims {
			pod.Spec.Containers[0].Resources.Claims = append(pod.Spec.Containers[0].Resources.Claims, corev1.ResourceClaim{Name: claim.Name})
		}
		_, err = k.client.CoreV1().Pods(k.env.Namespace).Create(ctx, pod, metav1.CreateOptions{DryRun: allDryRuns})
		return err
	}
}

// patchStatus returns a dry run of a kubelet that changes the status of a pod.
func (k kubelet) patchStatus(pod, content string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := k.client.CoreV1().Pods(k.env.Namespace).Patch(ctx, pod, types.MergePatchType, []byte(content), metav1.PatchOptions{DryRun: allDryRuns}, "status")
		return err
	}
}
