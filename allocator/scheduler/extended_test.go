// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
)

func extendedObjects(more ...runtime.Object) []runtime.Object {
	return append([]runtime.Object{node("a"), extendedClass(), gpus("a", 2)}, more...)
}

func TestExtendedResourcesGetAClaimOfTheirOwn(t *testing.T) {
	pod := extendedPod("p", "2")
	w := newWorld(t, extendedObjects(pod)...)
	w.mustBind(pod)

	claims := w.claims()
	w.Expect(claims).To(HaveLen(1))
	claim := &claims[0]
	w.Expect(claim.Name).To(HavePrefix("p-extended-resources-"))
	w.Expect(claim.Annotations).To(HaveKeyWithValue(resourceapi.ExtendedResourceClaimAnnotation, "true"))
	w.Expect(metav1.IsControlledBy(claim, pod)).To(BeTrue())
	w.Expect(claim.Finalizers).To(ConsistOf(resourceapi.Finalizer))
	w.Expect(claim.Spec.Devices.Requests).To(Equal([]resourceapi.DeviceRequest{request("container-0-request-0", 2)}))
	w.Expect(claim.Status.ReservedFor).To(ConsistOf(consumer(pod)))
	w.Expect(w.devicesOf(claim.Name)).To(Equal([]string{"a/gpu-0", "a/gpu-1"}))
	w.Expect(w.devicesInUse()).To(HaveLen(2))

	bound, err := w.client.CoreV1().Pods("default").Get(w.ctx, "p", metav1.GetOptions{})
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(bound.Status.ExtendedResourceClaimStatus).To(Equal(&corev1.PodExtendedResourceClaimStatus{
		ResourceClaimName: claim.Name,
		RequestMappings:   []corev1.ContainerExtendedResourceRequest{{ContainerName: "main", ResourceName: "example.com/gpu", RequestName: "container-0-request-0"}},
	}))
}

func TestExtendedResourcesCountBeforeTheirClaimExists(t *testing.T) {
	w := newWorld(t, extendedObjects(claimOf("c", request("req", 1)))...)
	c := w.begin(extendedPod("p", "2"))
	w.Expect(c.schedule()).To(succeed())
	w.Expect(w.begin(podWith("q", "c")).schedule()).To(unschedulableBecause(cannotAllocate))
	w.Expect(w.begin(extendedPod("r", "1")).schedule()).To(unschedulableBecause(cannotAllocate))
	c.unreserve()
	w.Expect(w.devicesInUse()).To(BeEmpty())
	w.Expect(w.claims()).To(HaveLen(1), "only c")
}

// withPlugin sets example.com/gpu in the node's allocatable resources, as with
// a device plugin.
func withPlugin(n *corev1.Node, count string) *corev1.Node {
	n.Status.Allocatable = corev1.ResourceList{"example.com/gpu": resource.MustParse(count)}
	return n
}

func TestNodesWithADevicePluginUseIt(t *testing.T) {
	w := newWorld(t, withPlugin(node("plugin"), "4"), extendedClass())
	pod := extendedPod("p", "1")
	c := w.mustBind(pod)
	w.Expect(c.node).To(Equal("plugin"))
	w.Expect(w.claims()).To(BeEmpty())
	c.unreserve()
}

func TestExhaustedDevicePluginIsReplacedByDevices(t *testing.T) {
	w := newWorld(t, withPlugin(node("a"), "0"), extendedClass(), gpus("a", 1), extendedPod("p", "1"))
	w.mustBind(extendedPod("p", "1"))
	w.Expect(w.claims()).To(HaveLen(1))
}

func TestEachNodeProvidesItsResources(t *testing.T) {
	pod := extendedPod("p", "1")
	pod.Spec.Containers[0].Resources.Requests["example.com/nic"] = resource.MustParse("1")
	nic := node("a")
	nic.Status.Allocatable = corev1.ResourceList{"example.com/nic": resource.MustParse("1")}
	w := newWorld(t, nic, node("b"), withPlugin(node("c"), "1"), extendedClass(), gpus("a", 1), gpus("b", 1))
	c := w.begin(pod)
	w.Expect(c.preFilter()).To(succeed())
	statuses := c.filter()
	w.Expect(statuses["a"]).To(succeed())
	w.Expect(statuses["b"]).To(unschedulableBecause("node has no resource example.com/nic"))
	w.Expect(statuses["c"]).To(unschedulableBecause("node has no resource example.com/nic"))
}

func TestExtendedResourcesAndClaimsOfOnePodFitTogether(t *testing.T) {
	pod := extendedPod("p", "1")
	pod.Spec.ResourceClaims = podWith("", "c").Spec.ResourceClaims
	w := newWorld(t, extendedObjects(pod, node("plugin"), claimOf("c", request("req", 1)))...)
	w.mustBind(pod)
	w.Expect(w.devicesOf("c")).To(Equal([]string{"a/gpu-0"}))
	w.Expect(w.devicesInUse()).To(HaveLen(2))
}

func TestPodsThatUseClaimsAndADevicePluginGetNoOtherClaim(t *testing.T) {
	pod := extendedPod("p", "1")
	pod.Spec.ResourceClaims = podWith("", "c").Spec.ResourceClaims
	w := newWorld(t, withPlugin(node("a"), "1"), extendedClass(), gpus("a", 1), pod, claimOf("c", request("req", 1)))
	w.mustBind(pod)
	w.Expect(w.claims()).To(HaveLen(1), "only c")
	w.Expect(w.devicesOf("c")).To(Equal([]string{"a/gpu-0"}))
}

func TestFailedBindingDeletesTheClaimForExtendedResources(t *testing.T) {
	for _, where := range []struct{ verb, resource string }{{"create", "resourceclaims"}, {"update", "resourceclaims/status"}, {"patch", "pods/status"}} {
		t.Run(where.verb+" "+where.resource, func(t *testing.T) {
			pod := extendedPod("p", "2")
			w := newWorld(t, extendedObjects(pod)...)
			stop := w.failOn(where.verb, where.resource, errors.New("server is down"))
			c := w.begin(pod)
			w.Expect(c.schedule()).To(succeed())
			w.Expect(c.bind()).To(haveStatus(fwk.Error, "server is down"))
			c.unreserve()
			w.Expect(w.claims()).To(BeEmpty())
			w.Eventually(w.devicesInUse).Should(BeEmpty())
			stop()
			w.awaitNoExtendedClaim(pod)
			w.mustBind(pod)
		})
	}
}

func TestClaimOfAnEarlierAttemptIsDeletedFirst(t *testing.T) {
	pod := extendedPod("p", "1")
	stale := extendedClaim(pod, "uid-stale", []resourceapi.DeviceRequest{request("container-0-request-0", 1)})
	stale.Name = "p-extended-resources-stale"
	w := newWorld(t, extendedObjects(pod, on(stale, "a", "gpu-0", pod))...)
	w.Expect(w.fail(pod)).To(unschedulableBecause("deletion of ResourceClaim completed"))
	w.Expect(w.claims()).To(BeEmpty())
	w.Eventually(w.devicesInUse).Should(BeEmpty())
	w.awaitNoExtendedClaim(pod)
	w.mustBind(pod)
}

func TestClaimsOfOtherPodsAreNotStale(t *testing.T) {
	pod, namesake := extendedPod("p", "1"), extendedPod("p", "1")
	namesake.UID = "another"
	other := extendedClaim(namesake, "uid-other", nil)
	other.Name = "p-extended-resources-other"
	plain := claimOf("plain", request("req", 1))
	plain.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "p", UID: pod.UID, Controller: ptr.To(true)}}
	w := newWorld(t, extendedObjects(pod, other, plain)...)
	w.mustBind(pod)
}

func container(name string, counts map[corev1.ResourceName]string) corev1.Container {
	c := corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}}}
	for resourceName, count := range counts {
		c.Resources.Requests[resourceName] = resource.MustParse(count)
	}
	return c
}

func sidecar(c corev1.Container) corev1.Container {
	c.RestartPolicy = ptr.To(corev1.ContainerRestartPolicyAlways)
	return c
}

func TestRequestsOfContainers(t *testing.T) {
	type counts = map[corev1.ResourceName]string
	type uses = [][3]string // container, resource, request
	const gpu, nic = "example.com/gpu", "example.com/nic"
	for name, tc := range map[string]struct {
		init, main []corev1.Container
		requests   map[string]int64
		uses       uses
	}{
		"resources are numbered among all that a container requests": {
			main:     []corev1.Container{container("a", counts{"cpu": "1", gpu: "2", nic: "3"})},
			requests: map[string]int64{"container-0-request-1": 2, "container-0-request-2": 3},
			uses:     uses{{"a", gpu, "container-0-request-1"}, {"a", nic, "container-0-request-2"}},
		},
		"containers do not share": {
			main:     []corev1.Container{container("a", counts{gpu: "1"}), container("b", nil), container("c", counts{gpu: "1"})},
			requests: map[string]int64{"container-0-request-0": 1, "container-2-request-0": 1},
			uses:     uses{{"a", gpu, "container-0-request-0"}, {"c", gpu, "container-2-request-0"}},
		},
		"an init container uses what comes later": {
			init:     []corev1.Container{container("i", counts{gpu: "3"})},
			main:     []corev1.Container{container("a", counts{gpu: "2"}), container("b", counts{gpu: "2"})},
			requests: map[string]int64{"container-1-request-0": 2, "container-2-request-0": 2},
			uses:     uses{{"a", gpu, "container-1-request-0"}, {"b", gpu, "container-2-request-0"}, {"i", gpu, "container-1-request-0"}, {"i", gpu, "container-2-request-0"}},
		},
		"an init container that needs more gets the difference": {
			init:     []corev1.Container{container("i", counts{gpu: "3"})},
			main:     []corev1.Container{container("a", counts{gpu: "2"})},
			requests: map[string]int64{"container-0-request-0": 1, "container-1-request-0": 2},
			uses:     uses{{"a", gpu, "container-1-request-0"}, {"i", gpu, "container-1-request-0"}, {"i", gpu, "container-0-request-0"}},
		},
		"init containers share the largest difference": {
			init:     []corev1.Container{container("i", counts{gpu: "1"}), container("j", counts{gpu: "4"}), container("k", counts{gpu: "2"})},
			requests: map[string]int64{"container-1-request-0": 4},
			uses:     uses{{"i", gpu, "container-1-request-0"}, {"j", gpu, "container-1-request-0"}, {"k", gpu, "container-1-request-0"}},
		},
		"a sidecar keeps its devices": {
			init:     []corev1.Container{container("i", counts{gpu: "1"}), sidecar(container("s", counts{gpu: "1"})), container("j", counts{gpu: "1"})},
			requests: map[string]int64{"container-1-request-0": 1, "container-2-request-0": 1},
			// i terminates before s starts; j runs in parallel with s.
			uses: uses{{"s", gpu, "container-1-request-0"}, {"i", gpu, "container-1-request-0"}, {"j", gpu, "container-2-request-0"}},
		},
		"zero is not a request": {main: []corev1.Container{container("a", counts{gpu: "0"})}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			pod := &corev1.Pod{Spec: corev1.PodSpec{InitContainers: tc.init, Containers: tc.main}}
			requests, mappings, err := extendedRequests(pod, []string{gpu, nic}, classOfAll{})
			g.Expect(err).NotTo(HaveOccurred())
			var names []string
			got := map[string]int64{}
			for _, r := range requests {
				names = append(names, r.Name)
				got[r.Name] = r.Exactly.Count
				g.Expect(r.Exactly.DeviceClassName).To(Equal(class))
				g.Expect(r.Exactly.AllocationMode).To(Equal(resourceapi.DeviceAllocationModeExactCount))
			}
			g.Expect(names).To(HaveLen(len(tc.requests)))
			g.Expect(got).To(Or(Equal(tc.requests), BeEmpty()))
			var gotUses uses
			for _, m := range mappings {
				gotUses = append(gotUses, [3]string{m.ContainerName, m.ResourceName, m.RequestName})
			}
			g.Expect(gotUses).To(Equal(tc.uses))
		})
	}
}

type classOfAll struct{}

func (classOfAll) GetDeviceClass(corev1.ResourceName) *resourceapi.DeviceClass {
	return deviceClass()
}
