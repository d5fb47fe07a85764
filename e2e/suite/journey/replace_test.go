// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func TestFreedClaims(t *testing.T) {
	freed := func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} }
	reservedFor := func(uid types.UID) func(*resourceapi.ResourceClaim) {
		return func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor[0].UID = uid }
	}
	for name, c := range map[string]struct {
		change    func(now objects)
		isClassic bool
		want      string
	}{
		"freed":          {change: func(now objects) { edit(now.claims, "named", freed) }},
		"used by others": {change: func(now objects) { edit(now.claims, "named", reservedFor("3")) }},
		"allocated by a driver of classic DRA": {isClassic: true, change: func(now objects) {
			edit(now.claims, "named", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = nil })
		}},
		"reserved":                {change: func(objects) {}, want: `claim named is still reserved for the deleted pod user: finalizers [protect], reserved for [`},
		"reserved in classic DRA": {change: func(objects) {}, isClassic: true, want: `claim named is still reserved for the deleted pod user: `},
		"allocated": {change: func(now objects) {
			edit(now.claims, "named", func(c *resourceapi.ResourceClaim) { c.Status.ReservedFor = nil })
		}, want: "claim named of the deleted pod user is still allocated: "},
		"deleted": {change: func(now objects) { delete(now.claims, "named") }, want: "claim named was deleted with pod user, which does not own it"},
		"replaced": {change: func(now objects) {
			edit(now.claims, "named", func(c *resourceapi.ResourceClaim) { c.UID, c.Status = "other", resourceapi.ResourceClaimStatus{} })
		}, want: "claim named was deleted with pod user, which does not own it"},
		"a generated claim that stays": {change: func(now objects) {
			edit(now.claims, "named", freed)
			now.claims["made"] = usedObjects().claims["made"]
		}, want: "claim made of the deleted pod user still exists: "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			before, now := usedObjects(), usedObjects()
			delete(now.claims, "made")
			c.change(now)
			want := BeEmpty()
			if c.want != "" {
				want = ConsistOf(HavePrefix(c.want))
			}
			g.Expect(notFreed(before, now, []corev1.Pod{before.pods["user"]}, c.isClassic)).To(want)
		})
	}
}

// usedObjects returns a pod with a claim that it names and one that was generated for it.
func usedObjects() objects {
	status := func() resourceapi.ResourceClaimStatus {
		return resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}, ReservedFor: []resourceapi.ResourceClaimConsumerReference{{UID: "1"}}}
	}
	return objects{
		pods: map[string]corev1.Pod{"user": {
			ObjectMeta: metav1.ObjectMeta{Name: "user", UID: "1"},
			Spec:       corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{ResourceClaimName: ptr.To("named")}, {ResourceClaimTemplateName: ptr.To("template")}}},
			Status:     corev1.PodStatus{ResourceClaimStatuses: []corev1.PodResourceClaimStatus{{ResourceClaimName: ptr.To("made")}}},
		}},
		claims: map[string]resourceapi.ResourceClaim{
			"named": {ObjectMeta: metav1.ObjectMeta{UID: "named", Finalizers: []string{"protect"}}, Status: status()},
			"made":  {ObjectMeta: metav1.ObjectMeta{UID: "made", OwnerReferences: []metav1.OwnerReference{{UID: "1"}}}, Status: status()},
		},
	}
}
