// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

func TestPreFilterReturnsTheNodesWithDevices(t *testing.T) {
	network := func(change func(*resourceapi.ResourceSlice)) *resourceapi.ResourceSlice {
		s := gpus("network", 1)
		s.Spec.NodeName = nil
		change(s)
		return s
	}
	everywhere := func(s *resourceapi.ResourceSlice) { s.Spec.AllNodes = ptr.To(true) }
	perDevice := func(s *resourceapi.ResourceSlice) {
		s.Spec.PerDeviceNodeSelection = ptr.To(true)
		s.Spec.Devices[0].NodeName = ptr.To("c")
	}
	for name, tc := range map[string]struct {
		objects []runtime.Object
		pod     *corev1.Pod
		nodes   []string // nil means all
	}{
		"nodes that slices name": {nil, podWith("p", "c"), []string{"a", "b"}},
		"and that devices name":  {[]runtime.Object{network(perDevice)}, podWith("p", "c"), []string{"a", "b", "c"}},
		"any with a device in the network": {
			[]runtime.Object{network(everywhere)}, podWith("p", "c"), nil,
		},
		"any with a device for selected nodes": {[]runtime.Object{network(func(s *resourceapi.ResourceSlice) {
			s.Spec.NodeSelector = &corev1.NodeSelector{}
		})}, podWith("p", "c"), nil},
		"any with a device for all nodes": {[]runtime.Object{network(func(s *resourceapi.ResourceSlice) {
			perDevice(s)
			s.Spec.Devices[0].NodeName, s.Spec.Devices[0].AllNodes = nil, ptr.To(true)
		})}, podWith("p", "c"), nil},
		"no node for counters alone": {[]runtime.Object{network(func(s *resourceapi.ResourceSlice) {
			everywhere(s)
			s.Spec.Devices, s.Spec.SharedCounters = nil, []resourceapi.CounterSet{{Name: "set"}}
		})}, podWith("p", "c"), []string{"a", "b"}},
		"any for allocated claims":    {nil, podWith("p", "c", "allocated"), nil},
		"any for extended resources":  {nil, extendedPod("p", "1"), nil},
		"any for an empty claim":      {nil, podWith("p", "nothing"), nil},
		"of a claim and an empty one": {nil, podWith("p", "c", "nothing"), []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := append(tc.objects, node("a"), node("b"), node("c"), extendedClass(), gpus("a", 1), gpus("b", 1),
				claimOf("c", request("req", 1)), claimOf("nothing"), on(claimOf("allocated", request("req", 1)), "a", "gpu-0"))
			w := newWorld(t, objects...)
			c := w.begin(tc.pod)
			w.Expect(c.preFilter()).To(succeed())
			if tc.nodes == nil {
				w.Expect(c.named.AllNodes()).To(BeTrue())
				return
			}
			w.Expect(c.named.NodeNames.UnsortedList()).To(ConsistOf(tc.nodes))
		})
	}
}

func TestPreFilterFailsWithoutAnyDevice(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), claimOf("c", request("req", 1)))
	w.Expect(w.begin(podWith("p", "c")).preFilter()).To(unschedulableBecause("cannot allocate all claims: no node has devices"))
}
