// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "spec"} }

func claimOf(namespace string, request resourceapi.DeviceRequest, allocation *resourceapi.AllocationResult) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim", Namespace: namespace}}
	c.Spec.Devices.Requests = []resourceapi.DeviceRequest{request}
	c.Status.Allocation = allocation
	return c
}

func sliceOf(driver, node string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: driver + node},
		Spec:       resourceapi.ResourceSliceSpec{Driver: driver, NodeName: &node, Pool: resourceapi.ResourcePool{Name: node}},
	}
}

// hostIs returns an allocation with a node selector for a label.
func hostIs(value string) *resourceapi.AllocationResult {
	return &resourceapi.AllocationResult{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "host", Operator: corev1.NodeSelectorOpIn, Values: []string{value}}},
	}}}}
}

// The dump only has the classes and nodes that are relevant for the spec,
// because a cluster may have very many.
func TestDumpHasOnlyRelevantClassesAndNodes(t *testing.T) {
	g := NewWithT(t)
	objects := []runtime.Object{
		&corev1.Pod{ObjectMeta: named("pod"), Spec: corev1.PodSpec{NodeName: "of-pod"}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: "other"}, Spec: corev1.PodSpec{NodeName: "of-other-pod"}},
		claimOf("spec", resourceapi.DeviceRequest{Exactly: &resourceapi.ExactDeviceRequest{DeviceClassName: "requested"}}, hostIs("selected")),
		claimOf("other", resourceapi.DeviceRequest{FirstAvailable: []resourceapi.DeviceSubRequest{{DeviceClassName: "alternative"}, {DeviceClassName: "second"}}}, hostIs("not-selected")),
		claimOf("everywhere", resourceapi.DeviceRequest{}, &resourceapi.AllocationResult{}),
		sliceOf("gpu.example.com", "of-slice"), sliceOf("other.example.com", "of-other-slice"),
	}
	for _, class := range []string{"requested", "alternative", "second", "unused"} {
		objects = append(objects, &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: class}})
	}
	for _, node := range []string{"of-pod", "of-other-pod", "of-slice", "of-other-slice", "selected", "not-selected", "idle"} {
		objects = append(objects, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: node, Labels: map[string]string{"host": node}},
			Status:     corev1.NodeStatus{Images: []corev1.ContainerImage{{SizeBytes: 1}}, NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.37.1"}},
		})
	}
	e := &env.Env{Client: fake.NewClientset(objects...), Namespace: "spec", Subject: subject.Subject{
		Shared: &subject.Shared{Share: subject.Device{Driver: "gpu.example.com"}},
	}}
	dir := t.TempDir()
	g.Expect(dump(t.Context(), e, dir)).To(Succeed())

	var classes resourceapi.DeviceClassList
	g.Expect(yaml.UnmarshalStrict(read(t, dir, "classes.yaml"), &classes)).To(Succeed())
	g.Expect(classes.Kind).To(Equal("DeviceClassList"))
	var dumped []string
	for _, c := range classes.Items {
		dumped = append(dumped, c.Name)
	}
	g.Expect(dumped).To(ConsistOf("requested", "alternative", "second"))

	var nodes corev1.NodeList
	g.Expect(yaml.UnmarshalStrict(read(t, dir, "nodes.yaml"), &nodes)).To(Succeed())
	g.Expect(nodes.Kind).To(Equal("NodeList"))
	dumped = nil
	for _, n := range nodes.Items {
		dumped = append(dumped, n.Name)
		g.Expect(n.Status.Images).To(BeEmpty())
		g.Expect(n.Status.NodeInfo.KubeletVersion).To(Equal("v1.37.1"), "the rest of the status")
	}
	g.Expect(dumped).To(ConsistOf("of-pod", "of-slice", "selected"))
}

// A ResourceSlice for all nodes does not name a node.
func TestDumpOfASliceForAllNodes(t *testing.T) {
	g := NewWithT(t)
	slice := sliceOf("gpu.example.com", "")
	slice.Spec.NodeName, slice.Spec.AllNodes = nil, ptr.To(true)
	e := &env.Env{Client: fake.NewClientset(slice, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "idle"}}), Namespace: "spec", Subject: subject.Subject{
		Shared: &subject.Shared{Share: subject.Device{Driver: "gpu.example.com"}},
	}}
	dir := t.TempDir()
	g.Expect(dump(t.Context(), e, dir)).To(Succeed())
	var nodes corev1.NodeList
	g.Expect(yaml.UnmarshalStrict(read(t, dir, "nodes.yaml"), &nodes)).To(Succeed())
	g.Expect(nodes.Items).To(BeEmpty())
}

func read(t *testing.T, dir, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return content
}
