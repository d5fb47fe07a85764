// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// changed returns a history in which slices change just when a claim is
// allocated, or so long before that the scheduler must know it.
func changed(longAgo bool, c resourceapi.ResourceClaim, before, after []resourceapi.ResourceSlice, change func(h *history)) *history {
	h := newHistory(before...)
	if longAgo {
		h.offer(after...)
		change(h)
		h.settle()
		h.allocate(c)
		return h
	}
	unallocated := *c.DeepCopy()
	unallocated.Status = resourceapi.ResourceClaimStatus{}
	h.put(unallocated)
	h.read()
	h.offer(after...)
	change(h)
	h.put(c)
	h.read()
	return h
}

func asIs(*history) {}

// taintRule returns a rule that taints device a of node n1.
func taintRule() resourceapi.DeviceTaintRule {
	return resourceapi.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "worn", UID: "worn"}, Spec: resourceapi.DeviceTaintRuleSpec{
		DeviceSelector: &resourceapi.DeviceTaintSelector{Pool: ptr.To("n1"), Device: ptr.To("a")},
		Taint:          resourceapi.DeviceTaint{Key: "broken", Value: "yes", Effect: resourceapi.DeviceTaintEffectNoSchedule},
	}}
}

type some = []resourceapi.ResourceSlice

// tooLate contains scenarios of allocations that are based on outdated objects,
// within the lag or beyond it.
var tooLate = map[string]scenario{
	"a device that leaves": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "a")), some{local(device("a"))}, some{local(device("b"))}, asIs)
	}, want: "claim ns/x: device gpu.example.com/n1/a is in no slice of the newest generation of its pool"},
	"a device that was removed some views ago": {rule: audit.DeviceOffered, config: audit.Config{Lag: 5 * time.Second}, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.offer(local(device("b")))
		for range either(wrong, 7, 6) {
			h.read()
		}
		h.put(one("x", result("n1", "a")))
		h.read()
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is in no slice of the newest generation of its pool"},
	"a device that left almost as long ago as DefaultLag": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.offer(local(device("b")))
		for range either(wrong, 12, 11) {
			h.read()
		}
		h.put(one("x", result("n1", "a")))
		h.read()
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is in no slice of the newest generation of its pool"},
	"a device that was not offered before either": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		return changed(false, one("x", result("n1", either(wrong, "c", "a"))), some{local(device("a"))}, some{local(device("b"))}, asIs)
	}, want: "claim ns/x: device gpu.example.com/n1/c is in no slice of the newest generation of its pool"},
	"a pool that becomes incomplete": {rule: audit.PoolComplete, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "a")), some{local(device("a"))}, some{slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a")))}, asIs)
	}, want: "claim ns/x: device gpu.example.com/n1/a is from pool gpu.example.com/n1 with missing slices: 1"},
	"a counter that shrinks": {rule: audit.CountersSuffice, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "whole")),
			some{slice("n1", onNode("n1"), inPoolOf(2), parts), slice("n1", onNode("n1"), inPoolOf(2), gpu)},
			some{slice("n1", onNode("n1"), inPoolOf(2), parts), slice("n1", onNode("n1"), inPoolOf(2), set("gpu", values{"memory": "39Gi", "engines": "1"}))}, asIs)
	}, want: "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 40Gi of 39Gi are consumed (40Gi by whole of ns/x)"},
	"a taint that is new": {rule: audit.TaintTolerated, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "a")), some{local(device("a"))}, some{local(device("a", taint(resourceapi.DeviceTaintEffectNoSchedule)))}, asIs)
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoSchedule, which it does not tolerate"},
	"a rule that is new": {rule: audit.TaintTolerated, build: func(wrong bool) *history {
		s := some{local(device("a"))}
		return changed(wrong, one("x", result("n1", "a")), s, s, func(h *history) { h.TaintRules = append(h.TaintRules, taintRule()) })
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoSchedule of the DeviceTaintRule worn, which it does not tolerate"},
	"a rule that was another in between": {rule: audit.TaintTolerated, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.TaintRules = append(h.TaintRules, taintRule())
		h.settle()
		if !wrong {
			h.TaintRules[0].UID = "another"
		}
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoSchedule of the DeviceTaintRule worn, which it does not tolerate"},
	"a class that selects other devices": {rule: audit.ClassAccepts, build: func(wrong bool) *history {
		s := some{local(device("a", attribute("kind", "big")))}
		return changed(wrong, one("x", result("n1", "a")), s, s, func(h *history) { h.Classes[0].Spec.Selectors = selectors(small) })
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/a, which its selector does not accept: " + small},
	"an old class and a new slice": {rule: audit.ClassAccepts, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "b")), some{local(device("a", attribute("kind", "small")))}, some{local(device("b", attribute("kind", "big")))},
			func(h *history) { h.Classes[0].Spec.Selectors = selectors(small) })
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/b, which its selector does not accept: " + small},
	// In between, the new counters existed with the old device, or vice versa.
	"two slices that change at once": {rule: audit.CountersSuffice, build: func(wrong bool) *history {
		of := func(memory, consumed string) some {
			return some{
				slice("n1", onNode("n1"), inPoolOf(2), set("gpu", values{"memory": memory})),
				slice("n1", onNode("n1"), inPoolOf(2), makeDevices(device("a", consumes("gpu", values{"memory": consumed})))),
			}
		}
		return changed(wrong, one("x", result("n1", "a")), of("2", "3"), of("4", "5"), asIs)
	}, want: "counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 5 of 4 are consumed (5 by a of ns/x)"},
	"a slice that was another in between": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "a")), some{local(device("b"))}, some{local(device("b"))}, func(h *history) { h.Slices[0].UID = "another" })
	}, want: "claim ns/x: device gpu.example.com/n1/a is in no slice of the newest generation of its pool"},
	"a slice that changed twice": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		return changed(wrong, one("x", result("n1", "a")), some{local(device("b"))}, some{local(device("b"))}, func(h *history) { h.Slices[0].Generation = 2 })
	}, want: "claim ns/x: device gpu.example.com/n1/a is in no slice of the newest generation of its pool"},
	"a class that was another in between": {rule: audit.ClassAccepts, build: func(wrong bool) *history {
		s := some{local(device("a", attribute("kind", "big")))}
		h := changed(wrong, one("x", result("n1", "a")), s, s, func(h *history) { h.Classes[0].UID = "another" })
		for i := range h.views {
			h.views[i].Classes[0].Spec.Selectors = selectors(small)
		}
		return h
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/a, which its selector does not accept: " + small},
	// A correct scheduler allocates right after a view, and the next view is
	// late.
	"a view after a long time": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.read()
		h.offer(local(device("b")))
		if wrong {
			h.settle()
		}
		h.At = h.At.Add(time.Hour)
		h.put(one("x", result("n1", "a")))
		h.read()
		return h
	}, want: "claim ns/x: device gpu.example.com/n1/a is in no slice of the newest generation of its pool"},
	"a pod that begins to run": {rule: audit.PodReserved, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := h.allocate(one("x", result("n1", "a")))
		h.start("n1")
		h.read()
		if !wrong {
			reserve(c, "pod")
		}
		h.read()
		return h
	}, want: "claim ns/x: pod ns/pod (UID pod) runs on node n1, but the claim is not reserved for it"},
	"a pod that ends": {rule: audit.PodReserved, build: func(wrong bool) *history {
		h, c := running("n1")
		h.read()
		if reserve(c); !wrong {
			h.Pods[0].Status.Phase = corev1.PodFailed
		}
		h.read()
		return h
	}, want: "claim ns/x: pod ns/pod (UID pod) runs on node n1, but the claim is not reserved for it"},
	"a label that nodes lose": {rule: audit.PodOnNode, build: func(wrong bool) *history {
		h := newHistory(slice("slice", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("0") }, makeDevices(device("a"))))
		c := one("x", result("slice", "a"))
		c.Status.Allocation.NodeSelector = hosts("0")
		reserve(h.allocate(c), "pod")
		if wrong {
			h.Nodes[0].Labels["host"] = "9"
			h.settle()
		}
		h.start("n1")
		h.read()
		h.Nodes[0].Labels["host"] = "9"
		h.read()
		return h
	}, want: "claim ns/x: pod ns/pod is on node n1, but the allocation is for nodes with host In [0]"},
	"a label that a node has between two views": {rule: audit.PodOnNode, build: func(wrong bool) *history {
		h := newHistory(slice("slice", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("7") }, makeDevices(device("a"))))
		if !wrong {
			h.Nodes[0].Labels["host"] = "7"
			h.pass()
			h.Nodes[0].Labels["host"] = "0"
		}
		allocateFor(h, "7")
		return h
	}, want: "claim ns/x: pod ns/pod is on node n1, but the allocation is for nodes with host In [7]"},
	"a pool that may have existed between two views": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.unseen = !wrong
		h.allocate(one("x", result("n2", "b")))
		return h
	}, want: "claim ns/x: device gpu.example.com/n2/b is in no slice of the newest generation of its pool"},
	"labels that a node may have had": {rule: audit.PodOnNode, build: func(wrong bool) *history {
		h := newHistory(slice("slice", func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = hosts("7") }, makeDevices(device("a"))))
		h.unseen = !wrong
		allocateFor(h, "7")
		return h
	}, want: "claim ns/x: pod ns/pod is on node n1, but the allocation is for nodes with host In [7]"},
}

// allocateFor allocates device a of a slice for the nodes with a host label to a
// pod on node n1, and reads the pod twice.
func allocateFor(h *history, host string) {
	c := one("x", result("slice", "a"))
	c.Status.Allocation.NodeSelector = hosts(host)
	reserve(h.allocate(c), "pod")
	h.start("n1")
	h.read()
	h.read()
}

func TestAuditorBlamesNobodyForWhatIsSeenLate(t *testing.T) {
	for name, s := range tooLate {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(s.build(false).alarms(t.Context(), s.config)).To(BeEmpty(), "a correct scheduler could do the same")
			g.Expect(s.build(true).alarms(t.Context(), s.config)).To(Equal([]audit.Alarm{{Rule: s.rule, Text: s.want}}), "everybody could know")
		})
	}
}
