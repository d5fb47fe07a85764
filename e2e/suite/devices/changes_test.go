// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// countersFor returns a slice with a counter for each of some nodes.
func countersFor(nodes ...string) resourceapi.ResourceSlice {
	s := sliceOfPool("pool", "0", "")
	s.Spec.SharedCounters = []resourceapi.CounterSet{{Name: "nodes", Counters: map[string]resourceapi.Counter{}}}
	for _, node := range nodes {
		s.Spec.SharedCounters[0].Counters[node] = resourceapi.Counter{Value: resource.MustParse("1")}
	}
	return s
}

// devicesOf returns a slice with devices that span some nodes. Their names begin with those
// of the nodes. Those that span a missing node select no node.
func devicesOf(missing string, spans ...[]string) resourceapi.ResourceSlice {
	s := sliceOfPool("pool", "1", "")
	s.Spec.AllNodes, s.Spec.PerDeviceNodeSelection = nil, ptr.To(true)
	for _, nodes := range spans {
		device := resourceapi.Device{Name: nodes[0] + "-1"}
		selected, consumed := slices.Clone(nodes), map[string]resourceapi.Counter{}
		if slices.Contains(nodes, missing) {
			selected = []string{"none"}
		}
		for _, node := range nodes {
			consumed[node] = resourceapi.Counter{Value: resource.MustParse("1")}
		}
		if len(nodes) > 1 {
			device.Name = nodes[0] + "-2"
		}
		device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "nodes", Counters: consumed}}
		device.NodeSelector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "name", Operator: corev1.NodeSelectorOpIn, Values: selected}},
		}}}
		s.Spec.Devices = append(s.Spec.Devices, device)
	}
	return s
}

// offerOf returns the offer of slices in a cluster of the nodes a and b.
func offerOf(published ...resourceapi.ResourceSlice) Offer {
	var nodes []corev1.Node
	for _, name := range []string{"a", "b"} {
		nodes = append(nodes, corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"name": name}}})
	}
	return newOffer(newPools(published), nodes)
}

var (
	single, other, pair = []string{"a"}, []string{"b"}, []string{"a", "b"}
	whole               = offerOf(countersFor("a", "b"), devicesOf("", single, other, pair))
)

func TestOffer(t *testing.T) {
	g := NewWithT(t)
	g.Expect(whole.nodes).To(Equal(map[string][]string{"pool/a-1": {"a"}, "pool/b-1": {"b"}, "pool/a-2": {"a", "b"}}))
	g.Expect(whole.spanning("b")).To(Equal([]string{"a b", "b"}))
	g.Expect(offerOf(countersFor("a", "b"), devicesOf("b", single, other, pair)).nodes).To(Equal(map[string][]string{"pool/a-1": {"a"}}))

	tainted := devicesOf("", single, other)
	tainted.Spec.Devices[0].Taints = []resourceapi.DeviceTaint{{Key: "a", Effect: resourceapi.DeviceTaintEffectNone}}
	tainted.Spec.Devices[1].Taints = []resourceapi.DeviceTaint{{Key: "a", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	g.Expect(offerOf(countersFor("a", "b"), tainted).nodes).To(Equal(map[string][]string{"pool/a-1": {"a"}}))
}

func TestAllocatedDevicesStayCharged(t *testing.T) {
	g := NewWithT(t)
	excluded := func(after Offer) bool { return exclude(after.Pools["pool"], "a-2", "a-1") }
	g.Expect(excluded(whole)).To(BeTrue())
	g.Expect(exclude(whole.Pools["pool"], "a-1", "b-1")).To(BeFalse())
	g.Expect(excluded(offerOf(countersFor("a", "b"), devicesOf("b", single, other, pair)))).To(BeTrue())
	g.Expect(excluded(offerOf(countersFor("a", "b"), devicesOf("b", single)))).To(BeFalse(), "nothing has the counters of the pair")
	g.Expect(excluded(offerOf(countersFor("b"), devicesOf("b", single)))).To(BeTrue(), "node a has no counter that is free")
}

func TestOfferHasDevicesBesideAnAllocatedOne(t *testing.T) {
	g := NewWithT(t)
	of := func(name string) audit.DeviceID {
		return audit.DeviceID{Driver: "gpu.example.com", Pool: "pool", Device: name}
	}
	g.Expect(whole.HasBeside(of("a-1"), 1)).To(BeTrue(), "device b-1 has other counters")
	g.Expect(whole.HasBeside(of("a-1"), 2)).To(BeFalse(), "the only device of two nodes has counters of a-1")
	g.Expect(whole.HasBeside(of("a-2"), 1)).To(BeFalse())
	g.Expect(whole.HasBeside(of("a-2"), 2)).To(BeFalse(), "it is the only device of two nodes")
	elsewhere := audit.DeviceID{Driver: "gpu.example.com", Pool: "other", Device: "a-2"}
	g.Expect(whole.HasBeside(elsewhere, 2)).To(BeTrue(), "other pools have other counters")
}
