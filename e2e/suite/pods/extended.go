// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// ResourceUser is a container that requests extended resources.
type ResourceUser struct {
	// Container is its name.
	Container string
	// Init makes it an init container.
	Init bool
	// Sidecar makes it an init container that runs as long as the pod.
	Sidecar bool
	// Amounts are the requested amounts.
	Amounts map[corev1.ResourceName]int64
}

// CreateWithResources creates a pod whose containers request extended resources.
// The pod also has the main container if this is not one of them.
func CreateWithResources(ctx context.Context, e *env.Env, name string, users ...ResourceUser) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, which requests extended resources", name))
	_, err := Create(ctx, e, name, Options{Change: func(pod *corev1.PodSpec) {
		like := *pod.Containers[0].DeepCopy()
		for _, user := range users {
			switch {
			case user.Init:
				pod.InitContainers = append(pod.InitContainers, CompletingContainer(user.Container, like))
				RequestResources(&pod.InitContainers[len(pod.InitContainers)-1], user.Amounts)
			case user.Container == MainContainer:
				RequestResources(&pod.Containers[0], user.Amounts)
			default:
				more := *like.DeepCopy()
				more.Name = user.Container
				RequestResources(&more, user.Amounts)
				if user.Sidecar {
					more.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
					pod.InitContainers = append(pod.InitContainers, more)
				} else {
					pod.Containers = append(pod.Containers, more)
				}
			}
		}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// DryRunCreateWithResources creates, as a dry run, a pod whose container requests
// extended resources. It returns the error of the API server.
func DryRunCreateWithResources(ctx context.Context, e *env.Env, amounts map[corev1.ResourceName]int64) error {
	_, err := create(ctx, e, "try", Options{Change: func(pod *corev1.PodSpec) { RequestResources(&pod.Containers[0], amounts) }}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}, nil)
	return err
}

// RequestResources makes a container request extended resources. The API requires
// limits that are equal to the requests.
func RequestResources(c *corev1.Container, amounts map[corev1.ResourceName]int64) {
	for name, amount := range amounts {
		if c.Resources.Requests == nil {
			c.Resources.Requests = corev1.ResourceList{}
		}
		if c.Resources.Limits == nil {
			c.Resources.Limits = corev1.ResourceList{}
		}
		quantity := *resource.NewQuantity(amount, resource.DecimalSI)
		c.Resources.Requests[name], c.Resources.Limits[name] = quantity, quantity
	}
}

// ListOwnedClaims returns the claims that a pod owns.
func ListOwnedClaims(ctx context.Context, e *env.Env, name string) []resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	all, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.DeleteFunc(all.Items, func(claim resourceapi.ResourceClaim) bool { return !metav1.IsControlledBy(&claim, pod) })
}

// WaitForExtendedClaim waits until the status of a pod names the claim for its
// extended resources. It returns the claim, and which requests the containers
// use (KEP-5004).
func WaitForExtendedClaim(ctx context.Context, e *env.Env, name string) (*resourceapi.ResourceClaim, []corev1.ContainerExtendedResourceRequest) {
	ginkgo.GinkgoHelper()
	var claim *resourceapi.ResourceClaim
	var mappings []corev1.ContainerExtendedResourceRequest
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		status := pod.Status.ExtendedResourceClaimStatus
		if status == nil {
			return fmt.Errorf("the status of pod %s on node %q has no extendedResourceClaimStatus", name, pod.Spec.NodeName)
		}
		mappings = status.RequestMappings
		claim, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, status.ResourceClaimName, metav1.GetOptions{})
		return err
	}).WithTimeout(e.Timeouts.Response).Should(gomega.Succeed(), "pod %s should have a claim for its extended resources", name)
	return claim, mappings
}

// seenBy returns which of the devices of a pod a container should see: all but
// those for extended resources that only other containers request.
func seenBy(ctx context.Context, e *env.Env, pod *corev1.Pod, container string, allocated []audit.DeviceID) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	if pod.Status.ExtendedResourceClaimStatus == nil {
		return allocated
	}
	own := GetExtendedDevices(ctx, e, pod.Name, container)
	claim, _ := WaitForExtendedClaim(ctx, e, pod.Name)
	all := audit.Allocated(claim)
	return slices.DeleteFunc(slices.Clone(allocated), func(id audit.DeviceID) bool { return slices.Contains(all, id) && !slices.Contains(own, id) })
}

// GetExtendedDevices returns the devices that provide the extended resources of
// a container.
func GetExtendedDevices(ctx context.Context, e *env.Env, pod, container string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	claim, mappings := WaitForExtendedClaim(ctx, e, pod)
	gomega.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "claim %s of a scheduled pod should be allocated", claim.Name)
	var own []audit.DeviceID
	for _, result := range claim.Status.Allocation.Devices.Results {
		if slices.ContainsFunc(mappings, func(m corev1.ContainerExtendedResourceRequest) bool {
			return m.ContainerName == container && m.RequestName == result.Request
		}) {
			own = append(own, audit.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device})
		}
	}
	return own
}
