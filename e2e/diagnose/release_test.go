// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
)

// In Kubernetes 1.34, devices and the counters that they consume are in one ResourceSlice.
// Since 1.35, devices of such a slice are not allocated.
func TestPlaceOfCountersDependsOnRelease(t *testing.T) {
	for release, want := range map[string]Reason{"v1.34.4": ReasonAvailable, "v1.35.4": ReasonNoDevices} {
		t.Run(release, func(t *testing.T) {
			g := NewWithT(t)
			counters := map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("8Gi")}}
			client := fake.NewClientset(
				&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node"}},
				&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}},
				&resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice"}, Spec: resourceapi.ResourceSliceSpec{
					Driver: "gpu.example.com", NodeName: ptr.To("node"), Pool: resourceapi.ResourcePool{Name: "node", ResourceSliceCount: 1},
					SharedCounters: []resourceapi.CounterSet{{Name: "set", Counters: counters}},
					Devices:        []resourceapi.Device{{Name: "part", ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: "set", Counters: counters}}}},
				}},
				&resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "claim"}, Spec: resourceapi.ResourceClaimSpec{Devices: resourceapi.DeviceClaim{
					Requests: []resourceapi.DeviceRequest{{Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}}},
				}}},
				&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "pod"}, Spec: corev1.PodSpec{
					ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: ptr.To("claim")}},
				}},
			)
			client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: release}
			c, err := Read(t.Context(), client, "DRAPartitionableDevices=true")
			g.Expect(err).NotTo(HaveOccurred())
			pod, err := c.Pod(t.Context(), "default", "pod", "")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(pod.Reason).To(Equal(want), "%+v", pod)
			pools, err := c.Pools(Filter{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(pools).To(HaveExactElements(HaveField("Devices", HaveExactElements(HaveField("State", map[Reason]State{ReasonAvailable: StateFree, ReasonNoDevices: StateBlocked}[want])))))
		})
	}
}
