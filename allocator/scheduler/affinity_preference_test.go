// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
)

func TestPodsWithTheSameValuesShareDevices(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), node("c"), deviceClass(), nics("a", 1), nics("b", 2), nics("c", 1),
		inSubnet("x1", "x"), inSubnet("x2", "x"), inSubnet("y1", "y"), inSubnet("y2", "y"))
	pin := func(c *cycle, name string) { // As if a selector of the pod left only this node.
		w.Expect(c.preFilter()).To(succeed())
		w.Expect(c.filter()[name]).To(succeed())
		c.node = name
		w.Expect(w.plugin.Reserve(w.ctx, c.state, c.pod, name)).To(succeed())
	}
	pin(w.begin(podWith("px", "x1")), "b")
	second := w.begin(podWith("py", "y1"))
	pin(second, "b")
	for claim, device := range map[string]string{"x2": "b/gpu-0", "y2": "b/gpu-1"} {
		w.mustBind(podWith("p-"+claim, claim))
		w.Expect(w.devicesOf(claim)).To(Equal([]string{device}), "rather than a clean device of node a, or of b")
	}
}

func TestLockedDevicesOfANodeArePreferred(t *testing.T) {
	before := sharing("before", "x")
	before.Status.Allocation.Devices.Results[0].Device = "gpu-1"
	w := newWorld(t, node("a"), deviceClass(), nics("a", 2), before, inSubnet("x1", "x"), inSubnet("y", "y"))
	w.mustBind(podWith("px", "x1"))
	w.mustBind(podWith("py", "y"))
	w.Expect(w.devicesOf("x1")).To(Equal([]string{"a/gpu-1"}))
	w.Expect(w.devicesOf("y")).To(Equal([]string{"a/gpu-0"}))
}

func TestAlternativesMatterMoreThanLocks(t *testing.T) {
	preferred := inSubnet("c", "x")
	preferred.Spec.Devices.Requests = []resourceapi.DeviceRequest{firstOf("req", 2, 1)}
	w := newWorld(t, node("a"), node("b"), deviceClass(), nics("a", 1), nics("b", 2), inSubnet("x1", "x"), preferred)
	c := w.mustBind(podWith("px", "x1"))
	w.Expect(c.node).To(Equal("a"))
	w.Expect(w.mustBind(podWith("p", "c")).node).To(Equal("b"), "node b has two devices")
}
