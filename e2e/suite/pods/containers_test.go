// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// A container can only see devices on its node, of the newest generation of
// their pool.
func TestDevicesOnNode(t *testing.T) {
	g := NewWithT(t)
	slice := func(name, node, device string, generation int64) *resourceapi.ResourceSlice {
		return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.ResourceSliceSpec{
			Driver: "gpu.example.com", NodeName: &node, Pool: resourceapi.ResourcePool{Name: node, Generation: generation, ResourceSliceCount: 1},
			Devices: []resourceapi.Device{{Name: device, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"uuid": {StringValue: ptr.To(name)}}}},
		}}
	}
	client := fake.NewClientset(
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "spec"}, Spec: corev1.PodSpec{NodeName: "a"}},
		slice("old", "a", "gpu-0", 1), slice("new", "a", "gpu-1", 2), slice("other", "b", "gpu-0", 1),
	)
	offered, err := listDevicesOnNode(t.Context(), &env.Env{Client: client, Namespace: "spec"}, "pod", "gpu.example.com")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(offered).To(HaveLen(1))
	g.Expect(offered).To(HaveKeyWithValue(audit.DeviceID{Driver: "gpu.example.com", Pool: "a", Device: "gpu-1"}, HaveField("Name", "gpu-1")))
	_, err = listDevicesOnNode(t.Context(), &env.Env{Client: client, Namespace: "spec"}, "none", "gpu.example.com")
	g.Expect(err).To(MatchError(ContainSubstring("get pod none")))
}
