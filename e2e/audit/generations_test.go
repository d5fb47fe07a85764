// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
)

// recounted contains scenarios of objects whose generation tells whether they had
// another state between two views.
var recounted = map[string]scenario{
	"a slice that changed once, or twice": {rule: audit.DeviceOffered, build: func(wrong bool) *history {
		return changed(false, one("x", result("n1", "c")), some{local(device("a"))}, some{local(device("b"))},
			func(h *history) { h.Slices[0].Generation = either[int64](wrong, 1, 2) })
	}, want: "claim ns/x: device gpu.example.com/n1/c is in no slice of the newest generation of its pool"},
	"a class that changed once, or twice": {rule: audit.ClassAccepts, build: func(wrong bool) *history {
		return withSmallClass(false, either[int64](wrong, 1, 2))
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/a, which its selector does not accept: " + small},
	"a class that changed twice, long ago or just now": {rule: audit.ClassAccepts, build: func(wrong bool) *history {
		return withSmallClass(wrong, 2)
	}, want: "claim ns/x: class gpu of request request has device gpu.example.com/n1/a, which its selector does not accept: " + small},
	// The generation of a slice does not count changes of annotations.
	"an annotation that changes": {rule: audit.AffinityValuesMeet, config: audit.Config{Scheduler: audit.Scheduler{SharingAffinity: true}}, build: func(wrong bool) *history {
		h := newHistory(demanding())
		if !wrong {
			h.Slices[0].Annotations = map[string]string{"draconform.dev/sharing-affinity": `{"a":{"attributeKeys":["net/vlan"]}}`}
			h.settle()
		}
		for _, subnet := range []string{"a", "b"} {
			c := one("on-"+subnet, result("n1", "a", share(subnet, "")))
			configure(&c, states(`{"net/subnet":{"string":"`+subnet+`"},"net/vlan":{"string":"1"}}`))
			h.allocate(c)
		}
		return h
	}, want: `device gpu.example.com/n1/a is only for claims that state the same value for net/subnet, but ns/on-a states "a", ns/on-b states "b"`},
	"a rule that is deleted, with a class": {rule: audit.TaintTolerated, build: func(wrong bool) *history {
		h := newHistory(local(device("a")))
		h.TaintRules = append(h.TaintRules, taintRule())
		h.Classes = append(h.Classes, resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "other", UID: "other"}})
		h.settle()
		if !wrong {
			h.TaintRules, h.Classes = nil, h.Classes[:1]
		}
		h.allocate(one("x", result("n1", "a")))
		return h
	}, want: "claim ns/x: request request has device gpu.example.com/n1/a with the taint broken=yes:NoSchedule of the DeviceTaintRule worn, which it does not tolerate"},
}

// withSmallClass returns a history in which a class that selects small devices is
// changed to a generation and back to what it was, and a big device is allocated.
func withSmallClass(longAgo bool, generation int64) *history {
	s := some{local(device("a", attribute("kind", "big")))}
	h := changed(longAgo, one("x", result("n1", "a")), s, s, func(h *history) { h.Classes[0].Generation = generation })
	for i := range h.views {
		h.views[i].Classes[0].Spec.Selectors = selectors(small)
	}
	return h
}

func TestAuditorCountsChangesByGeneration(t *testing.T) {
	for name, s := range recounted {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(s.build(false).alarms(t.Context(), s.config)).To(BeEmpty(), "without the fault")
			g.Expect(s.build(true).alarms(t.Context(), s.config)).To(Equal([]audit.Alarm{{Rule: s.rule, Text: s.want}}), "with the fault")
		})
	}
}
