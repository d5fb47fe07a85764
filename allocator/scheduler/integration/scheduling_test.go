// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestPodsGetTheirDevices(t *testing.T) {
	c := newCluster(t)
	c.node("a", 0)
	c.node("b", 2)
	c.startScheduler(nil)
	c.claim("c", 2)
	pod := c.pod("p", "c")
	c.Eventually(c.nodeOf("p")).Should(Equal("b"))
	c.Expect(c.allocated()).To(Equal([]string{"b/gpu-0", "b/gpu-1"}))
	claim := c.claims()[0]
	c.Expect(claim.Finalizers).To(ConsistOf(resourceapi.Finalizer))
	c.Expect(claim.Status.ReservedFor).To(ConsistOf(resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: "p", UID: pod.UID}))
}

func TestPodsWaitForDevicesAndGetThemWhenTheyAppear(t *testing.T) {
	c := newCluster(t)
	c.node("a", 0)
	c.startScheduler(nil)
	c.podWithDevice("p")
	c.Eventually(c.reasonOf("p")).Should(ContainSubstring("cannot allocate all claims"))
	c.slice("a", 1, nil)
	c.Eventually(c.nodeOf("p")).Should(Equal("a"))
}

func TestManyPodsCompeteForFewDevices(t *testing.T) {
	const pods, nodes, perNode = 200, 5, 10
	c := newCluster(t)
	for i := range nodes {
		c.node(fmt.Sprintf("n%d", i), perNode)
	}
	c.startScheduler(nil)
	var all sync.WaitGroup
	for worker := range 10 {
		all.Go(func() {
			for i := worker; i < pods; i += 10 {
				c.podWithDevice(fmt.Sprintf("p%03d", i))
			}
		})
	}
	all.Wait()
	served := map[string]bool{}
	for len(served) < pods {
		c.Eventually(c.bound).Should(HaveLen(min(nodes*perNode, pods-len(served))))
		c.Expect(c.allocated()).To(HaveLen(min(nodes*perNode, pods-len(served))))
		bound := c.bound()
		for _, pod := range bound {
			c.Expect(served[pod]).To(BeFalse())
			served[pod] = true
		}
		c.remove(bound...)
	}
}

func TestPodsShareAClaim(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	c.node("b", 1)
	c.startScheduler(nil)
	c.claim("c", 1)
	for i := range 5 {
		c.pod(fmt.Sprintf("p%d", i), "c")
	}
	c.Eventually(c.bound).Should(HaveLen(5))
	c.Expect(c.allocated()).To(HaveLen(1))
	c.Expect(c.claims()[0].Status.ReservedFor).To(HaveLen(5))
}

func TestExtendedResourcesAreProvidedByDevices(t *testing.T) {
	c := newCluster(t)
	c.node("a", 2)
	c.startScheduler(nil)
	pod := func(name string) {
		c.podFrom(name, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"example.com/gpu": resource.MustParse("1")}
		})
	}
	pod("p1")
	pod("p2")
	c.Eventually(c.bound).Should(HaveLen(2))
	c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0", "a/gpu-1"}))
	p, err := c.CoreV1().Pods("default").Get(c.ctx, "p1", metav1.GetOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	c.Expect(p.Status.ExtendedResourceClaimStatus.RequestMappings).To(Equal([]corev1.ContainerExtendedResourceRequest{
		{ContainerName: "main", ResourceName: "example.com/gpu", RequestName: "container-0-request-0"},
	}))
	pod("p3")
	c.Eventually(c.reasonOf("p3")).Should(ContainSubstring("cannot allocate all claims"))
}

func TestIdleClaimIsDeallocatedBeforePodsAreEvicted(t *testing.T) {
	c := newCluster(t)
	c.node("a", 1)
	c.node("b", 1)
	// The claim is allocated on b, which then has no resources for a pod.
	c.idleClaim("c", "b", "gpu-0")
	c.startScheduler(nil)
	c.podFrom("low", func(p *corev1.Pod) {
		p.Spec.Affinity = onNode("b")
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("90")}
	})
	c.Eventually(c.nodeOf("low")).Should(Equal("b"))

	c.podFrom("high", func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "c", ResourceClaimName: ptr.To("c")}}
		p.Spec.PriorityClassName = "system-node-critical"
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("50")}
	})
	c.Eventually(c.nodeOf("high")).Should(Equal("a"))
	c.Expect(c.bound()).To(ContainElement("low"), "no pod was evicted")
	c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0"}))
}

// idleClaim creates a claim that is allocated but not reserved. A scheduler leaves it so if the binding of the only pod
// fails and the pod is then deleted: the resourceclaim controller deallocates claims only when it removes the last
// reservation.
func (c *cluster) idleClaim(name, node, device string) {
	c.claimFrom(name, 1, func(claim *resourceapi.ResourceClaim) { claim.Finalizers = []string{resourceapi.Finalizer} })
	claim, err := c.ResourceV1().ResourceClaims("default").Get(c.ctx, name, metav1.GetOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	claim.Status.Allocation = &resourceapi.AllocationResult{
		Devices:      resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{Request: "req", Driver: driver, Pool: node, Device: device}}},
		NodeSelector: only(node),
	}
	_, err = c.ResourceV1().ResourceClaims("default").UpdateStatus(c.ctx, claim, metav1.UpdateOptions{})
	c.Expect(err).NotTo(HaveOccurred())
}

func onNode(name string) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: only(name)}}
}

// only selects one node.
func only(node string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{{
		Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node},
	}}}}}
}
