// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices_test

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/devices"
)

func TestOnNodes(t *testing.T) {
	g := NewWithT(t)
	var nodes []corev1.Node
	for _, name := range []string{"a", "b", "c"} {
		nodes = append(nodes, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"rack": name}}})
	}
	slice := func(of resourceapi.ResourceSliceSpec, names ...string) resourceapi.ResourceSlice {
		for _, name := range names {
			of.Devices = append(of.Devices, resourceapi.Device{Name: name})
		}
		return resourceapi.ResourceSlice{Spec: of}
	}
	local := slice(resourceapi.ResourceSliceSpec{NodeName: ptr.To("a")}, "one", "two")
	everywhere := slice(resourceapi.ResourceSliceSpec{AllNodes: ptr.To(true)}, "three")
	rack := slice(resourceapi.ResourceSliceSpec{NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "rack", Operator: corev1.NodeSelectorOpIn, Values: []string{"b"}}},
	}}}}, "four")
	perDevice := slice(resourceapi.ResourceSliceSpec{PerDeviceNodeSelection: ptr.To(true)}, "five", "six")
	perDevice.Spec.Devices[0].NodeName, perDevice.Spec.Devices[1].NodeName = ptr.To("b"), ptr.To("c")

	on := func(inNetwork bool, published ...resourceapi.ResourceSlice) map[string]int {
		counts := map[string]int{}
		for node, of := range devices.OnNodes(published, nodes, inNetwork) {
			counts[node] = len(of)
		}
		return counts
	}
	g.Expect(on(false, local, everywhere, rack)).To(Equal(map[string]int{"a": 2}))
	g.Expect(on(true, local, everywhere, rack)).To(Equal(map[string]int{"a": 2}), "there are devices of nodes")
	g.Expect(on(false, everywhere, rack)).To(BeEmpty())
	g.Expect(on(true, everywhere, rack)).To(Equal(map[string]int{"a": 1, "b": 2, "c": 1}))
	g.Expect(slices.Sorted(maps.Keys(on(true, perDevice)))).To(Equal([]string{"b", "c"}), "each device has its own node")
}
