// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// uses contains scenarios of claims that pods use.
var uses = map[string]scenario{
	"a pod off its devices' nodes": {rule: audit.PodOnNode, build: func(wrong bool) *history {
		h, _ := running(either(wrong, "n2", "n1"))
		h.read()
		return h
	}, want: "claim ns/x: pod ns/pod is on node n2, but the allocation is for nodes with metadata.name In [n1]"},
	"a pod without a reservation": {rule: audit.PodReserved, build: func(wrong bool) *history {
		h, c := running("n1")
		reserve(c, either(wrong, "other", "pod"))
		h.read()
		return h
	}, want: "claim ns/x: pod ns/pod (UID pod) runs on node n1, but the claim is not reserved for it"},
	"a reservation that is lost for a while": {rule: audit.PodReserved, build: func(wrong bool) *history {
		h, c := running("n1")
		h.read()
		reserve(c, either(wrong, "other", "pod"))
		h.pass()
		reserve(c, "pod")
		h.read()
		return h
	}, want: "claim ns/x: it was not reserved for pod ns/pod (UID pod) any more while the pod was on node n1"},
	"an allocation that changes": {rule: audit.AllocationKept, build: func(wrong bool) *history {
		h, c := running("n1")
		h.read()
		c.Status.Allocation.Devices.Results[0].Device = either(wrong, "b", "a")
		h.read()
		return h
	}, want: "claim ns/x: its allocation changed to [gpu.example.com/n1/b], from [gpu.example.com/n1/a] while pod ns/pod (UID pod) is on node n1 and uses it"},
	"an allocation that goes": {rule: audit.AllocationKept, build: func(wrong bool) *history {
		h, c := running("n1")
		h.read()
		if h.Pods[0].Status.Phase = corev1.PodSucceeded; wrong {
			h.Pods[0].Status.Phase = corev1.PodPending
		}
		c.Status = resourceapi.ResourceClaimStatus{}
		h.read()
		return h
	}, want: "claim ns/x: it was deallocated while pod ns/pod (UID pod) is on node n1 and uses it"},
	"an allocation to a group of pods that goes": {rule: audit.AllocationKept, build: func(wrong bool) *history {
		h, c := running("n1")
		ofGroup := c.Status.ReservedFor[0]
		ofGroup.APIGroup, ofGroup.Resource, ofGroup.Name, ofGroup.UID = "scheduling.k8s.io", "podgroups", "group", "group"
		c.Status.ReservedFor[0] = ofGroup
		h.Pods[0].Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To("group")}
		h.Pods[0].Status.Phase = corev1.PodPending
		h.read()
		h.read()
		if !wrong {
			h.Pods = nil
		}
		c.Status = resourceapi.ResourceClaimStatus{}
		h.read()
		return h
	}, want: "claim ns/x: it was deallocated while pod ns/pod (UID pod) is on node n1 and uses it"},
	"a claim that goes": {rule: audit.AllocationKept, build: func(wrong bool) *history {
		h, _ := running("n1")
		h.read()
		h.Claims = nil
		if !wrong {
			h.Pods = nil
		}
		h.read()
		return h
	}, want: "claim ns/x: it was deleted while pod ns/pod (UID pod) is on node n1 and uses it"},
	"a reservation of nothing": {rule: audit.ReservedAllocated, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := h.put(one("x", result("n1", "a")))
		if reserve(c, "pod"); wrong {
			c.Status.Allocation = nil
		}
		h.read()
		return h
	}, want: "claim ns/x: it is reserved for pods pod (UID pod), but not allocated"},
	"a reservation twice": {rule: audit.ReservedLimit, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		reserve(h.allocate(one("x", result("n1", "a"))), "pod", either(wrong, "pod", "other"))
		h.read()
		return h
	}, want: "claim ns/x: it is reserved twice for pods pod (UID pod)"},
	"too many reservations": {rule: audit.ReservedLimit, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		var podNames []string
		for i := range either(wrong, 257, 256) {
			podNames = append(podNames, fmt.Sprint(i))
		}
		reserve(h.allocate(one("x", result("n1", "a"))), podNames...)
		h.read()
		return h
	}, want: "claim ns/x: it is reserved for 257 consumers, more than 256"},
	"the status of another device": {rule: audit.StatusOfAllocated, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		c := h.allocate(one("x", result("n1", "a")))
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "n1", Device: either(wrong, "b", "a")}}
		h.read()
		return h
	}, want: "claim ns/x: it has the status of device gpu.example.com/n1/b, which is not allocated to it"},
	"the status of another share": {rule: audit.StatusOfAllocated, build: func(wrong bool) *history {
		h := newHistory(local(device("a", shared)))
		c := h.allocate(one("x", result("n1", "a", share("1", ""))))
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: driver, Pool: "n1", Device: "a", ShareID: ptr.To(either(wrong, "2", "1"))}}
		h.read()
		return h
	}, want: "claim ns/x: it has the status of device gpu.example.com/n1/a with share 2, which is not allocated to it"},
}

// running returns a history in which a pod has run on a node for one view.
func running(node string) (*history, *resourceapi.ResourceClaim) {
	h := newHistory(local(device("a"), device("b")))
	c := h.allocate(one("x", result("n1", "a")))
	reserve(c, "pod")
	h.start(node)
	h.read()
	return h, c
}
