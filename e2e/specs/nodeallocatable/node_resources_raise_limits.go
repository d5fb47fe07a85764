// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeallocatable

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// nodeResourcesRaiseLimits publishes a device with an overhead of memory for the nodes with
// a kubelet. Kubelets need not call its driver, so that none has to run. One of the two
// containers of a pod uses the device. Both have the same limit of memory. Kubelets state in
// the status of containers which limits the container runtime enforces.
var nodeResourcesRaiseLimits = suite.Spec{
	ID:          "node-resources-raise-limits",
	Description: "The overhead of a device is added to the limits of the containers that use its claim, and not to those of others. The kubelet keeps the overhead in the status of the pod.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    append([]features.Feature{features.OptionalNodeOperations}, resourceFeatures...),
	Component:   env.Kubelet,
	MinNodes:    1,
	Needs:       simulatedNodes,
	Since:       "1.37",
	Requirements: []string{
		"5517-limits-of-containers", "5517-in-the-status-of-pods",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateDriver(ctx, e)
		overhead := resourceapi.NodeAllocatableResource{Overhead: &resourceapi.NodeAllocatableOverhead{
			PerPod: ptr.To(resource.MustParse("16Mi")), PerContainer: ptr.To(resource.MustParse("8Mi")),
		}}
		sim.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
			Pool: resourceapi.ResourcePool{Name: "card"}, NodeSelector: simulated.OtherNodes(),
			SkipNodeOperations: []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll},
			Devices:            withResource(corev1.ResourceMemory, overhead, "card").Devices,
		})
		claim, err := claims.Create(ctx, e, "pod", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = pods.Create(ctx, e, "pod", pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}
			other := *pod.Containers[0].DeepCopy()
			other.Name, other.Resources.Claims = "other", nil
			pod.Containers = append(pod.Containers, other)
		}}, claim)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForContainersRunning(ctx, e, "pod")
		expectMemoryLimit(ctx, e, pods.MainContainer, "it may use 64Mi and the overhead of its device for the pod and for a container", "88Mi")
		expectMemoryLimit(ctx, e, "other", "it does not use the device", "64Mi")
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(pod.Status.NodeAllocatableResourceClaimStatuses).To(gomega.ContainElement(gomega.HaveField("ResourceClaimName", claim.Name)),
			"the kubelet should keep the overhead of claim pod in the status that it updates")
	},
}

// expectMemoryLimit waits until the status of a container of pod pod has this limit. A
// kubelet may state what the pod requests until it has asked the container runtime.
func expectMemoryLimit(ctx context.Context, e *env.Env, container, because, want string) {
	ginkgo.GinkgoHelper()
	limit := resource.MustParse(want)
	gomega.Eventually(ctx, func(ctx context.Context) (int64, error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, "pod", metav1.GetOptions{})
		if err != nil {
			return 0, err
		}
		for _, status := range pod.Status.ContainerStatuses {
			if status.Name == container && status.Resources != nil {
				return status.Resources.Limits.Memory().Value(), nil
			}
		}
		return 0, fmt.Errorf("the status of container %s has no resources", container)
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Equal(limit.Value()), "the memory of container %s should be limited to %s, because %s", container, want, because)
}
