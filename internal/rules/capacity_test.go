// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"math/big"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

func q(s string) resource.Quantity { return resource.MustParse(s) }

// ranged returns a policy whose default is the minimum. Empty bounds are not
// set.
func ranged(lowest, highest, step string) *resourceapi.CapacityRequestPolicy {
	r := &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(q(lowest))}
	if highest != "" {
		r.Max = ptr.To(q(highest))
	}
	if step != "" {
		r.Step = ptr.To(q(step))
	}
	return &resourceapi.CapacityRequestPolicy{Default: ptr.To(q(lowest)), ValidRange: r}
}

// The consumption of a capacity of 10 (KEP-5075).
func TestUses(t *testing.T) {
	values := &resourceapi.CapacityRequestPolicy{Default: ptr.To(q("1")), ValidValues: []resource.Quantity{q("1"), q("3"), q("4")}}
	for name, test := range map[string]struct {
		policy  *resourceapi.CapacityRequestPolicy
		request string // Empty if the claim does not request an amount.
		want    string
		allowed bool
		varies  bool
	}{
		"nothing requested":            {nil, "", "10", true, false},
		"nothing requested, a default": {values, "", "1", true, false},
		"an amount without a policy":   {nil, "2500m", "2500m", true, false},
		"a default that is no value":   {&resourceapi.CapacityRequestPolicy{Default: ptr.To(q("2"))}, "5", "5", true, false},
		"a valid value":                {values, "3", "3", true, false},
		"the next valid value":         {values, "2", "3", true, false},
		"more than the valid values":   {values, "5", "5", false, false},
		"less than the minimum":        {ranged("2", "8", "2"), "1", "2", true, false},
		"the next step":                {ranged("2", "8", "3"), "3", "5", true, false},
		"a whole number of steps":      {ranged("2", "8", "3"), "8", "8", true, false},
		"a fraction of a step":         {ranged("2", "8", "3"), "2100m", "5", true, false},
		"a range without a step":       {ranged("2", "8", ""), "3", "3", true, false},
		"more than the maximum":        {ranged("2", "8", "3"), "9", "11", false, false},
		"a fractional step":            {ranged("500m", "4", "1500m"), "1", "2", true, true},
		"a fractional minimum":         {ranged("500m", "4", "1"), "1", "1500m", true, true},
		"a fractional default":         {ranged("500m", "4", "1"), "", "500m", true, false},
		"a step of zero":               {ranged("2", "8", "0"), "3", "3", false, false},
		"a step of zero, the default":  {ranged("2", "8", "0"), "", "2", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			device := rules.Device{Driver: own, Device: &resourceapi.Device{
				Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: q("10"), RequestPolicy: test.policy}},
			}}
			requests := map[resourceapi.QualifiedName]resource.Quantity{}
			if test.request != "" {
				requests["slots"] = q(test.request)
			}
			uses, missing := rules.Uses(requests, device, rules.Quirks{})
			g.Expect(missing).To(BeEmpty())
			g.Expect(uses).To(HaveLen(1))
			g.Expect(uses[0].Amount.Cmp(rules.Exact(q(test.want)))).To(BeZero(), "got %s", uses[0].Amount)
			g.Expect(uses[0].Allowed).To(Equal(test.allowed))
			g.Expect(uses[0].Varies).To(Equal(test.varies))
		})
	}
}

func TestNamesOfCapacities(t *testing.T) {
	g := NewWithT(t)
	device := rules.Device{Driver: own, Device: &resourceapi.Device{
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: q("10")}},
	}}
	requests := map[resourceapi.QualifiedName]resource.Quantity{own + "/slots": q("2")}
	uses, missing := rules.Uses(requests, device, rules.Quirks{})
	g.Expect(missing).To(BeEmpty())
	g.Expect(uses[0].Amount.Cmp(big.NewRat(2, 1))).To(BeZero())
	_, missing = rules.Uses(requests, device, rules.Quirks{ExactCapacityNames: true})
	g.Expect(missing).To(ConsistOf(resourceapi.QualifiedName(own + "/slots")))
}

func TestExact(t *testing.T) {
	for text, want := range map[string]*big.Rat{
		"0": big.NewRat(0, 1), "1500m": big.NewRat(3, 2), "-1n": big.NewRat(-1, 1e9), "2Ki": big.NewRat(2048, 1), "3e3": big.NewRat(3000, 1),
	} {
		quantity := q(text)
		NewWithT(t).Expect(rules.Exact(quantity).Cmp(want)).To(BeZero(), text)
		NewWithT(t).Expect(quantity).To(Equal(q(text)), "the quantity does not change")
	}
	NewWithT(t).Expect(rules.Exact(q("1e200")).Sign()).To(Equal(1), "a number that is too long to print")
}
