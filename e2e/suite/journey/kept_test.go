// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestLostParts(t *testing.T) {
	rule := ruleKey("worn")
	for name, c := range map[string]struct {
		change func(now objects)
		want   string
	}{
		"a label":                {changeClaim(func(c *resourceapi.ResourceClaim) { c.Labels = nil }), "claim checked has lost its label label=a"},
		"a changed label":        {changeClaim(func(c *resourceapi.ResourceClaim) { c.Labels["label"] = "b" }), "the label label of claim checked has changed to b from a"},
		"an annotation":          {changeClaim(func(c *resourceapi.ResourceClaim) { c.Annotations = nil }), "claim checked has lost its annotation entry=a"},
		"an owner":               {changeClaim(func(c *resourceapi.ResourceClaim) { c.OwnerReferences = nil }), `claim checked has lost its owner {.*"name":"checked".*}, its owners are null`},
		"the controller":         {changeClaim(func(c *resourceapi.ResourceClaim) { c.OwnerReferences[0].Controller = nil }), `claim checked has lost its owner {.*"controller":true}`},
		"a finalizer":            {changeClaim(func(c *resourceapi.ResourceClaim) { c.Finalizers = nil }), "claim checked has lost its finalizer protect"},
		"a deletion":             {changeClaim(func(c *resourceapi.ResourceClaim) { c.DeletionTimestamp = &metav1.Time{} }), "claim checked is being deleted"},
		"the status of a device": {changeClaim(func(c *resourceapi.ResourceClaim) { c.Status.Devices = nil }), `claim checked has lost the status of device ours/p/ashare, which was {`},
		"a condition of a device": {
			changeClaim(func(c *resourceapi.ResourceClaim) { c.Status.Devices[1].Conditions = nil }),
			`the status of device ours/p/ashare of claim checked has changed to {.* from {.*"Ready"`,
		},
		"the share of a device": {
			changeClaim(func(c *resourceapi.ResourceClaim) { c.Status.Devices[1].ShareID = nil }), `claim checked has lost the status of device ours/p/ashare`,
		},
		"the name of a generated claim": {
			changePod(func(p *corev1.Pod) { p.Status.ResourceClaimStatuses = nil }),
			`the status of pod checked has lost its claim {"name":"entry","resourceClaimName":"checked"}, its claims are null`,
		},
		"a claim for extended resources": {
			changePod(func(p *corev1.Pod) { p.Status.ExtendedResourceClaimStatus = nil }),
			`the claim for extended resources in the status of pod checked has changed to null from {`,
		},
		"a rule":          {func(now objects) { delete(now.rules, rule) }, "device taint rule worn was deleted"},
		"another rule":    {changeRule(func(o *other) { o.meta.UID = "2" }), "device taint rule worn was deleted"},
		"a label of rule": {changeRule(func(o *other) { o.meta.Labels = nil }), "device taint rule worn has lost its label run=a"},
		"a taint":         {changeRule(func(o *other) { o.spec = resourceapi.DeviceTaintRuleSpec{} }), `the spec of device taint rule worn has changed to {.* from {.*"key":"worn"`},
		"a condition":     {changeRule(func(o *other) { o.conditions = nil }), "device taint rule worn has lost the condition EvictionInProgress of its status, which was {"},
		"a label of a slice": {
			func(now objects) { edit(now.others, "slice a", func(o *other) { o.meta.Labels = nil }) }, "slice a has lost its label run=a",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			k := checked{}
			k.see(keptObjects())
			now := keptObjects()
			g.Expect(k.changes(now)).To(BeEmpty(), "nothing has changed")
			c.change(now)
			g.Expect(k.changes(now)).To(ConsistOf(MatchRegexp("^" + c.want)))
		})
	}
}

// A right cluster may do all of this.
func TestAllowedChanges(t *testing.T) {
	deallocate := func(c *resourceapi.ResourceClaim) { c.Finalizers, c.Status = nil, resourceapi.ResourceClaimStatus{} }
	for name, change := range map[string]func(now objects){
		"more metadata": changeClaim(func(c *resourceapi.ResourceClaim) {
			c.Labels["more"], c.Annotations["more"], c.Finalizers = "a", "a", append(c.Finalizers, "more")
		}),
		"a claim that is deallocated": changeClaim(deallocate),
		"a claim that is allocated other devices": changeClaim(func(c *resourceapi.ResourceClaim) {
			c.Status.Allocation.Devices.Results[0].Device, c.Status.Devices = "b", nil
		}),
		"a status that a driver changes": changeClaim(func(c *resourceapi.ResourceClaim) { c.Status.Devices[0].Conditions = nil }),
		"a status that a driver removes": changeClaim(func(c *resourceapi.ResourceClaim) { c.Status.Devices = c.Status.Devices[1:] }),
		"a condition of a rule that changes": changeRule(func(o *other) {
			o.conditions = []metav1.Condition{{Type: "More"}, {Type: "EvictionInProgress", Status: metav1.ConditionTrue}}
		}),
		"another claim for the extended resources of a pending pod": func(now objects) {
			edit(now.pods, "pending", func(p *corev1.Pod) { p.Status.ExtendedResourceClaimStatus.ResourceClaimName = "other" })
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			k := checked{}
			k.see(keptObjects())
			now := keptObjects()
			change(now)
			g.Expect(k.changes(now)).To(BeEmpty())
		})
	}
}

// Rules may be stored while the API server does not serve them. They must be there when
// it serves them again.
func TestRulesThatAreNotServed(t *testing.T) {
	g := NewWithT(t)
	k := checked{}
	k.see(keptObjects())
	now := keptObjects()
	now.rules = nil
	g.Expect(k.changes(now)).To(BeEmpty())
	k.see(now)
	g.Expect(k.changes(keptObjects())).To(BeEmpty())
	now.rules = map[string]other{}
	g.Expect(k.changes(now)).To(ConsistOf("device taint rule worn was deleted"))
	k.forget("DeviceTaintRule", "worn")
	g.Expect(k.changes(now)).To(BeEmpty())
}

func TestOwnedClaimsEndWithTheirPod(t *testing.T) {
	g := NewWithT(t)
	k := checked{}
	k.see(keptObjects())
	now := keptObjects()
	delete(now.pods, "checked")
	delete(now.claims, "checked")
	g.Expect(k.changes(now)).To(ConsistOf("pod checked was deleted", "claim checked was deleted"))
	k.forget("Pod", "checked")
	g.Expect(k.changes(now)).To(BeEmpty())
	delete(now.claims, "pending")
	g.Expect(k.changes(now)).To(ConsistOf("claim pending was deleted"), "the pod does not own it")
}

func TestFieldsLostInUpdates(t *testing.T) {
	stored := func() updated {
		return updated{
			meta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}, Finalizers: []string{"protect"}},
			spec: resourceapi.DeviceClassSpec{ExtendedResourceName: ptr.To("example.com/gpu")}, status: resourceapi.ResourceClaimStatus{Devices: []resourceapi.AllocatedDeviceStatus{{}}},
		}
	}
	for want, change := range map[string]func(*updated){
		`the spec of x would change to {} from {"extendedResourceName":"example.com/gpu"}`: func(u *updated) { u.spec = resourceapi.DeviceClassSpec{} },
		`the status of x would change to {} from {"devices":`:                              func(u *updated) { u.status = resourceapi.ResourceClaimStatus{} },
		"x has lost its label a=b":         func(u *updated) { u.meta.Labels = map[string]string{"draconform.dev/updated": ""} },
		"x has lost its finalizer protect": func(u *updated) { u.meta.Finalizers = nil },
	} {
		t.Run(want, func(t *testing.T) {
			g := NewWithT(t)
			is := stored()
			is.meta.Labels["draconform.dev/updated"] = ""
			g.Expect(is.lacks("x", stored())).To(BeEmpty())
			change(&is)
			g.Expect(is.lacks("x", stored())).To(ConsistOf(HavePrefix(want)))
		})
	}
}

func changeClaim(change func(*resourceapi.ResourceClaim)) func(objects) {
	return func(now objects) { edit(now.claims, "checked", change) }
}

func changePod(change func(*corev1.Pod)) func(objects) {
	return func(now objects) { edit(now.pods, "checked", change) }
}

func changeRule(change func(*other)) func(objects) {
	return func(now objects) { edit(now.rules, ruleKey("worn"), change) }
}

// keptObjects returns testObjects with metadata, statuses and a rule. The claim of the
// running pod was generated for it, and has a device of a driver whose status others write,
// and a share of a device whose status only the spec writes.
func keptObjects() objects {
	now := testObjects()
	now.drivers = []string{"ours"}
	edit(now.pods, "checked", func(p *corev1.Pod) {
		p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "entry", ResourceClaimName: ptr.To("checked")}}
		p.Status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "extended"}
	})
	edit(now.pods, "pending", func(p *corev1.Pod) {
		p.UID, p.Status.ExtendedResourceClaimStatus = "2", &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "extended"}
	})
	edit(now.claims, "checked", func(c *resourceapi.ResourceClaim) {
		c.Labels, c.Annotations, c.Finalizers = map[string]string{"label": "a"}, map[string]string{"entry": "a"}, []string{"protect"}
		c.OwnerReferences = []metav1.OwnerReference{{Kind: "Pod", Name: "checked", UID: "1", Controller: ptr.To(true)}}
		ready := []metav1.Condition{{Type: "Ready"}}
		c.Status.Devices = []resourceapi.AllocatedDeviceStatus{
			{Driver: "theirs", Pool: "p", Device: "a", Conditions: ready}, {Driver: "ours", Pool: "p", Device: "a", ShareID: ptr.To("share"), Conditions: ready},
		}
	})
	edit(now.others, "slice a", func(o *other) { o.meta.Labels = map[string]string{"run": "a"} })
	now.rules = map[string]other{ruleKey("worn"): {
		meta: metav1.ObjectMeta{UID: "1", Labels: map[string]string{"run": "a"}}, conditions: []metav1.Condition{{Type: "EvictionInProgress", Status: metav1.ConditionFalse}},
		spec: resourceapi.DeviceTaintRuleSpec{Taint: resourceapi.DeviceTaint{Key: "worn", TimeAdded: &metav1.Time{}}},
	}}
	return now
}
