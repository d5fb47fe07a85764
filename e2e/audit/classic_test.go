// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
)

// classicClaim returns a claim that a driver has allocated, with devices of pool n1.
func classicClaim(name string, devices ...string) resourceapi.ResourceClaim {
	claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-" + name)}}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	for _, device := range devices {
		claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{
			Request: "device", Driver: "drv.example.com", Pool: "n1", Device: device,
		})
	}
	return claim
}

func userOf(pod string) resourceapi.ResourceClaimConsumerReference {
	return resourceapi.ResourceClaimConsumerReference{Resource: "pods", Name: pod, UID: types.UID("uid-" + pod)}
}

// classicPod returns a pod that runs on node n1 with a claim.
func classicPod(name, claim string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns", UID: types.UID("uid-" + name)},
		Spec:       corev1.PodSpec{NodeName: "n1", ResourceClaims: []corev1.PodResourceClaim{{Name: "devices", ResourceClaimName: &claim}}},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

// Each case changes the second one of three views of two claims with a device each, and of
// a pod that uses the first.
func TestAuditorOfClassicClaims(t *testing.T) {
	for name, test := range map[string]struct {
		change func(v *audit.View)
		want   audit.Rule
	}{
		"right": {func(*audit.View) {}, ""},
		"a claim that is not reserved is deallocated": {func(v *audit.View) { v.Classic.Leaving["uid-b"] = true }, ""},
		"32 users":                {func(v *audit.View) { reserveFor(&v.Claims[1], 32) }, ""},
		"33 users":                {func(v *audit.View) { reserveFor(&v.Claims[1], 33) }, audit.ReservedLimit},
		"a device is given twice": {func(v *audit.View) { v.Claims[1] = classicClaim("b", "0") }, audit.DeviceOnce},
		"another claim has the device of one of its own": {func(v *audit.View) { v.Claims[1] = classicClaim("b", "1", "0") }, audit.DeviceOnce},
		"a claim is reserved without an allocation": {func(v *audit.View) {
			v.Claims[1].Status.Allocation = nil
			reserveFor(&v.Claims[1], 1)
		}, audit.ReservedAllocated},
		"a claim is to be deallocated while a pod uses it": {func(v *audit.View) { v.Classic.Leaving["uid-a"] = true }, audit.DeallocationOfUnused},
		"a claim is to be deallocated that is not allocated": {func(v *audit.View) {
			v.Classic.Leaving["uid-b"] = true
			v.Claims[1].Status.Allocation = nil
		}, audit.DeallocationOfUnused},
		"a claim in use is deallocated": {func(v *audit.View) {
			v.Claims[0].Status.Allocation, v.Claims[0].Status.ReservedFor = nil, nil
		}, audit.AllocationKept},
		"a claim in use gets another device": {func(v *audit.View) {
			v.Claims[0].Status.Allocation = classicClaim("a", "2").Status.Allocation
		}, audit.AllocationKept},
		"a claim in use is not reserved": {func(v *audit.View) { v.Claims[0].Status.ReservedFor = nil }, audit.PodReserved},
		"a claim in use is deleted":      {func(v *audit.View) { v.Claims = v.Claims[1:] }, audit.AllocationKept},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			auditor := audit.New(audit.Config{})
			broken := map[audit.Rule]bool{}
			for i := range 4 {
				v := audit.View{
					At: time.Unix(int64(i), 0), Classic: &audit.Classic{Leaving: map[types.UID]bool{}}, Pods: []corev1.Pod{classicPod("pod", "a")},
					Claims: []resourceapi.ResourceClaim{classicClaim("a", "0"), classicClaim("b", "1")},
				}
				v.Claims[0].Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{userOf("pod")}
				if i == 2 { // The pod's use is certain by then.
					test.change(&v)
				}
				for _, alarm := range auditor.Audit(t.Context(), v) {
					broken[alarm.Rule] = true
				}
			}
			if test.want == "" {
				g.Expect(broken).To(BeEmpty())
				return
			}
			g.Expect(broken).To(HaveKey(test.want))
		})
	}
}

// The devices of classic drivers are in no ResourceSlices, and a claim may have none.
func TestAuditorDoesNotCompareClassicDevices(t *testing.T) {
	g := NewWithT(t)
	auditor := audit.New(audit.Config{})
	for i := range 2 {
		v := audit.View{At: time.Unix(int64(i), 0), Classic: &audit.Classic{}}
		if i == 1 {
			claim := classicClaim("a", "unknown")
			claim.Spec.Devices.Requests = []resourceapi.DeviceRequest{{Name: "other", Exactly: &resourceapi.ExactDeviceRequest{AdminAccess: ptr.To(true)}}}
			v.Claims = []resourceapi.ResourceClaim{claim, classicClaim("optional")}
		}
		g.Expect(auditor.Audit(t.Context(), v)).To(BeEmpty())
	}
}

// classics are scenarios of rules that only clusters with classic DRA have.
var classics = map[string]scenario{
	"deallocation of a claim in use": {rule: audit.DeallocationOfUnused, build: func(wrong bool) *history {
		h := newHistory()
		c := h.allocate(classicClaim("x", "0"))
		reserve(c, either(wrong, []string{"pod"}, nil)...)
		h.read()
		for i := range h.views {
			h.views[i].Classic = &audit.Classic{Leaving: map[types.UID]bool{c.UID: i == len(h.views)-1}}
		}
		return h
	}, want: "claim ns/x: its deallocation is requested, but it is reserved for pods pod (UID pod)"},
}

func reserveFor(claim *resourceapi.ResourceClaim, users int) {
	claim.Status.ReservedFor = nil
	for i := range users {
		claim.Status.ReservedFor = append(claim.Status.ReservedFor, userOf(fmt.Sprintf("other-%d", i)))
	}
}
