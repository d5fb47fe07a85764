// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// An attribute that a request derives replaces that of the device. The domain
// of a device's attribute is its driver by default.
func TestAttribute(t *testing.T) {
	device := rules.Device{Driver: own, Device: &resourceapi.Device{
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"numa": {IntValue: ptr.To[int64](3)}, own + "/model": {StringValue: ptr.To("a")}},
	}}
	derives := func(expression string) *rules.Alternative {
		return &rules.Alternative{Derived: []resourceapi.DeviceDerivedAttribute{{Name: own + "/numa", Expression: expression}}}
	}
	for name, test := range map[string]struct {
		request   *rules.Alternative
		attribute resourceapi.FullyQualifiedName
		want      []string // Empty if the device has no such attribute.
		message   string
	}{
		"of the device":               {&rules.Alternative{}, own + "/numa", []string{"int:3"}, ""},
		"of the device, with domain":  {&rules.Alternative{}, own + "/model", []string{"string:a"}, ""},
		"of another domain":           {&rules.Alternative{}, "example.com/numa", nil, ""},
		"derived":                     {derives(`device.attributes["` + own + `"].numa % 2 == 1`), own + "/numa", []string{"bool:true"}, ""},
		"next to a derived one":       {derives(`"x"`), own + "/model", []string{"string:a"}, ""},
		"derived with a failure":      {derives(`device.attributes["` + own + `"].other == "x"`), own + "/numa", nil, "derive attribute " + own + "/numa: no such key: other"},
		"derived, but not compilable": {derives(`1 +`), own + "/numa", nil, "derive attribute " + own + "/numa: "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			attribute, found, err := rules.Derive(language.GetOrCompileDerivedAttribute).Attribute(t.Context(), test.request, device, test.attribute)
			if test.message != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.message)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(len(test.want) > 0))
			g.Expect(rules.Values(attribute, rules.Quirks{}).UnsortedList()).To(ConsistOf(test.want))
		})
	}
}

func TestMatchAndDistinct(t *testing.T) {
	one := func(s string) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{StringValue: &s} }
	list := func(all ...string) resourceapi.DeviceAttribute {
		return resourceapi.DeviceAttribute{StringValues: all}
	}
	version := resourceapi.DeviceAttribute{VersionValue: ptr.To("1.0.0")}
	type attributes = []resourceapi.DeviceAttribute
	scalar := rules.Quirks{ScalarAttributes: true}
	for name, test := range map[string]struct {
		attributes      attributes
		quirks          rules.Quirks
		match, distinct bool
	}{
		"one device":                        {attributes{one("a")}, rules.Quirks{}, true, true},
		"equal scalars":                     {attributes{one("a"), one("a")}, rules.Quirks{}, true, false},
		"different scalars":                 {attributes{one("a"), one("b")}, rules.Quirks{}, false, true},
		"different types":                   {attributes{one("1.0.0"), version}, rules.Quirks{}, false, true},
		"lists with a value in common":      {attributes{list("a", "b"), list("b", "c"), one("b")}, rules.Quirks{}, true, false},
		"lists with a value in each pair":   {attributes{list("a", "b"), list("b", "c"), list("c", "a")}, rules.Quirks{}, false, false},
		"disjoint lists":                    {attributes{list("a", "b"), list("c")}, rules.Quirks{}, false, true},
		"lists that do not count":           {attributes{list("a"), list("a")}, scalar, false, false},
		"one list that does not count":      {attributes{list("a")}, scalar, true, true},
		"a list that does not count, first": {attributes{list("a"), one("a")}, scalar, false, true},
		"a list that does not count, later": {attributes{one("a"), list("b")}, scalar, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			values := valuesOf(test.attributes, test.quirks)
			g.Expect(rules.Match(values...)).To(Equal(test.match), "match")
			g.Expect(rules.Distinct(values...)).To(Equal(test.distinct), "distinct")
		})
	}
}

func TestAttributeOfAConstraint(t *testing.T) {
	g := NewWithT(t)
	a, b := ptr.To[resourceapi.FullyQualifiedName]("x/a"), ptr.To[resourceapi.FullyQualifiedName]("x/b")
	name, distinct := rules.AttributeOf(&resourceapi.DeviceConstraint{MatchAttribute: a, DistinctAttribute: b})
	g.Expect(name).To(Equal(a))
	g.Expect(distinct).To(BeFalse())
	name, distinct = rules.AttributeOf(&resourceapi.DeviceConstraint{DistinctAttribute: b})
	g.Expect(name).To(Equal(b))
	g.Expect(distinct).To(BeTrue())
	name, _ = rules.AttributeOf(&resourceapi.DeviceConstraint{})
	g.Expect(name).To(BeNil())
}

func valuesOf(attributes []resourceapi.DeviceAttribute, quirks rules.Quirks) (all []sets.Set[string]) {
	for _, a := range attributes {
		all = append(all, rules.Values(a, quirks))
	}
	return all
}
