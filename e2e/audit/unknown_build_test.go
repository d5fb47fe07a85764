// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// parents returns the history of a claim for two devices with these attributes.
func parents(parent resourceapi.DeviceAttribute, constraint resourceapi.DeviceConstraint) *history {
	with := func(d *resourceapi.Device) {
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"parent": parent}
	}
	h := newHistory(local(device("a", with), device("b", with)))
	c := asking("x", requests{request("request", 2)}, result("n1", "a"), result("n1", "b"))
	c.Spec.Devices.Constraints = []resourceapi.DeviceConstraint{constraint}
	h.allocate(c)
	return h
}

// newer is an expression with a function that is not known.
const newer = "newer(device)"

func unknownAttribute(d *resourceapi.Device) {
	d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"newer": {}}
}

// resembling returns a node selector with an operator that is not known.
func resembling() *corev1.NodeSelector {
	selector := hosts("0")
	selector.NodeSelectorTerms[0].MatchExpressions[0].Operator = "Resembles"
	return selector
}

// tolerating returns the history of a claim for a tainted device that tolerates taints with
// this key by an operator that is not known.
func tolerating(key string) *history {
	h := newHistory(local(device("a", taint(resourceapi.DeviceTaintEffectNoSchedule))))
	c := one("x", result("n1", "a"))
	c.Spec.Devices.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{Key: key, Operator: "Resembles", Value: "y*"}}
	c.Status.Allocation.Devices.Results[0].Tolerations = c.Spec.Devices.Requests[0].Exactly.Tolerations
	h.allocate(c)
	return h
}

// rounding returns the history of a claim for 3 of a capacity with a policy that has neither
// values nor a range. The claim consumes what is given.
func rounding(consumed string) *history {
	policy := &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("1"))}
	h := newHistory(local(device("a", shared, capacity("8", policy))))
	h.allocate(asking("x", requests{wants("3")}, result("n1", "a", share("1", consumed))))
	return h
}
