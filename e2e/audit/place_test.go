// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// hosts selects nodes by a label.
func hosts(values ...string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "host", Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}
}

func TestNotOn(t *testing.T) {
	inventory := audit.NewInventory([]resourceapi.ResourceSlice{
		slice("local", func(s *resourceapi.ResourceSliceSpec) { s.NodeName = ptr.To("n1") }, makeDevices(device("d"))),
		slice("everywhere", func(s *resourceapi.ResourceSliceSpec) { s.AllNodes = ptr.To(true) }, makeDevices(device("d"))),
		slice("selected", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("0", "1") }, makeDevices(device("d"))),
		slice("broken", func(s *resourceapi.ResourceSliceSpec) {
			s.NodeSelector = hosts("0")
			s.NodeSelector.NodeSelectorTerms[0].MatchExpressions[0].Operator = "Resembles"
		}, makeDevices(device("d"))),
		slice("each", func(s *resourceapi.ResourceSliceSpec) { s.PerDeviceNodeSelection = ptr.To(true) }, makeDevices(
			device("pair", func(d *resourceapi.Device) { d.NodeSelector = hosts("1", "2") }),
			device("single", func(d *resourceapi.Device) { d.NodeName = ptr.To("n1") }),
			device("any", func(d *resourceapi.Device) { d.AllNodes = ptr.To(true) }),
			device("none"),
		)),
	})
	node := func(name, host string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"host": host}}}
	}
	first, third := node("n1", "0"), node("n3", "2")
	for _, test := range []struct {
		pool, device string
		node         *corev1.Node
		want         string
	}{
		{"local", "d", first, ""},
		{"local", "d", third, "device gpu.example.com/local/d is on node n1, not on n3"},
		{"everywhere", "d", third, ""},
		{"selected", "d", first, ""},
		{"selected", "d", third, "device gpu.example.com/selected/d is on the nodes that host In [0 1] matches, not on n3"},
		{"each", "pair", third, ""},
		{"each", "pair", first, "device gpu.example.com/each/pair is on the nodes that host In [1 2] matches, not on n1"},
		{"each", "single", first, ""},
		{"each", "single", third, "device gpu.example.com/each/single is on node n1, not on n3"},
		{"each", "any", third, ""},
		{"each", "none", first, "device gpu.example.com/each/none is on the nodes that nothing matches, not on n1"},
		{"broken", "d", first, "device gpu.example.com/broken/d has an invalid node selector: "},
		{"gone", "d", first, "device gpu.example.com/gone/d is on the nodes that nothing matches, not on n1"},
	} {
		g := NewWithT(t)
		got := inventory.NotOn(test.node, []audit.DeviceID{{Driver: driver, Pool: test.pool, Device: test.device}})
		if test.want == "" {
			g.Expect(got).To(BeEmpty())
			continue
		}
		g.Expect(got).To(ConsistOf(HavePrefix(test.want)))
	}
}
