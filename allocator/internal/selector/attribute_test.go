// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
)

// Constraints compare attributes by type and value. Two devices have one attribute each.
func TestAttributesAreEqualByTypeAndValue(t *testing.T) {
	for name, test := range map[string]struct {
		a, b resourceapi.DeviceAttribute
		want bool
	}{
		"the same text":                 {text("x"), text("x"), true},
		"another text":                  {text("x"), text("y"), false},
		"the same number":               {number(1), number(1), true},
		"another number":                {number(1), number(-1), false},
		"the same boolean":              {boolean(true), boolean(true), true},
		"another boolean":               {boolean(true), boolean(false), false},
		"the same version":              {version("1.0.0"), version("1.0.0"), true},
		"an equal version, not written": {version("1.0.0"), version("1.0.0+a"), false},
		"a text like a number":          {text("1"), number(1), false},
		"a text like a version":         {text("1.0.0"), version("1.0.0"), false},
		"a number like a boolean":       {number(1), boolean(true), false},
	} {
		for kind, lists := range map[string]bool{"scalars": false, "lists": true} {
			t.Run(name+", "+kind, func(t *testing.T) {
				g := NewWithT(t)
				values := newMemo(lists).Attribute("gpu.example.com/a").Values(slice(t, driver, device(attributes{"a": test.a}), device(attributes{"a": test.b})))
				g.Expect(values).To(HaveEach(HaveField("Set", true)))
				g.Expect(values[0].IDs).To(HaveLen(1))
				same := values[0].IDs[0] == values[1].IDs[0]
				g.Expect(same).To(Equal(test.want))
				if !lists {
					g.Expect(values[0].Own).To(Equal(values[0].IDs[0]))
				}
			})
		}
	}
}

// An attribute without domain belongs to the driver of the slice (API: QualifiedName).
func TestAttributeIsFoundByItsQualifiedName(t *testing.T) {
	for name, test := range map[string]struct {
		driver, attribute string
		published         attributes
		want              string
	}{
		"qualified":                      {driver, "nic.example.com/a", attributes{"nic.example.com/a": text("x")}, `"x"`},
		"by the driver":                  {driver, "gpu.example.com/a", attributes{"a": text("x")}, `"x"`},
		"by another driver":              {"nic.example.com", "gpu.example.com/a", attributes{"a": text("x")}, "nothing"},
		"qualified before by the driver": {driver, "gpu.example.com/a", attributes{"a": text("x"), "gpu.example.com/a": text("y")}, `"y"`},
		"of another domain":              {driver, "nic.example.com/a", attributes{"a": text("x")}, "nothing"},
		"of another name":                {driver, "gpu.example.com/a", attributes{"b": text("x")}, "nothing"},
		"without any":                    {driver, "gpu.example.com/a", nil, "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMemo(false)
			values := m.Attribute(resourceapi.FullyQualifiedName(test.attribute)).Values(slice(t, test.driver, device(test.published)))
			NewWithT(t).Expect(m.Text(values[0])).To(Equal(test.want))
		})
	}
}

// The value is the same for different attributes, devices and drivers.
func TestEqualValuesHaveOneID(t *testing.T) {
	g := NewWithT(t)
	m := newMemo(false)
	a := m.Attribute("gpu.example.com/a").Values(slice(t, driver, device(attributes{"a": text("x")})))
	b := m.Attribute("nic.example.com/b").Values(slice(t, "nic.example.com", device(attributes{"b": text("x")})))
	g.Expect(a).To(Equal(b))
}

// The value zero means that there is none.
func TestUnequalValuesHaveIDsThatAreNotZero(t *testing.T) {
	g := NewWithT(t)
	values := newMemo(false).Attribute("gpu.example.com/a").Values(slice(t, driver, device(attributes{"a": text("x")}), device(attributes{"a": text("y")})))
	g.Expect(values[0].Own).NotTo(Or(BeZero(), Equal(values[1].Own)))
	g.Expect(values[1].Own).NotTo(BeZero())
}

// With DRAListTypeAttributes an attribute is a set: order and repetition are ignored, and a scalar is a set of one
// value.
func TestListsAreSets(t *testing.T) {
	list := func(values ...string) resourceapi.DeviceAttribute {
		return resourceapi.DeviceAttribute{StringValues: values}
	}
	for name, test := range map[string]struct {
		attribute resourceapi.DeviceAttribute
		want      string
	}{
		"texts":                   {list("b", "a"), `["a" "b"]`},
		"the same text twice":     {list("a", "a"), `"a"`},
		"numbers":                 {resourceapi.DeviceAttribute{IntValues: []int64{2, 1}}, "[1 2]"},
		"booleans":                {resourceapi.DeviceAttribute{BoolValues: []bool{true, false}}, "[false true]"},
		"versions":                {resourceapi.DeviceAttribute{VersionValues: []string{"1.0.0"}}, `"1.0.0"`},
		"a scalar":                {text("a"), `"a"`},
		"a list before a scalar":  {resourceapi.DeviceAttribute{StringValues: []string{"b"}, IntValue: number(1).IntValue}, `"b"`},
		"an empty list has none":  {list(), "[]"},
		"lists are not of a type": {resourceapi.DeviceAttribute{}, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			m := newMemo(true)
			values := m.Attribute("gpu.example.com/a").Values(slice(t, driver, device(attributes{"a": test.attribute})))
			g.Expect(m.Text(values[0])).To(Equal(test.want))
		})
	}
}

func TestEqualSetsAreEqualInAnyOrder(t *testing.T) {
	g := NewWithT(t)
	one, two := device(attributes{"a": {StringValues: []string{"x", "y"}}}), device(attributes{"a": {StringValues: []string{"y", "x", "y"}}})
	values := newMemo(true).Attribute("gpu.example.com/a").Values(slice(t, driver, one, two))
	g.Expect(values[1]).To(Equal(values[0]))
}

// Without the feature, lists have no value that can be compared.
func TestListsAreNoValuesWithoutTheFeature(t *testing.T) {
	g := NewWithT(t)
	list := device(attributes{"a": {StringValues: []string{"x"}}})
	values := newMemo(false).Attribute("gpu.example.com/a").Values(slice(t, driver, list))
	g.Expect(values[0].Set).To(BeTrue())
	g.Expect(values[0].Own).To(BeZero())
	g.Expect(values[0].IDs).To(BeEmpty())
}

// Without lists, the first type of several is compared, and is what the user reads.
func TestTextOfAValueWithSeveralTypes(t *testing.T) {
	g := NewWithT(t)
	m := newMemo(false)
	both := text("x")
	both.IntValue = number(1).IntValue
	values := m.Attribute("gpu.example.com/a").Values(slice(t, driver, device(attributes{"a": both})))
	g.Expect(m.Text(values[0])).To(Equal(`"x"`))
}

func TestTextsOfValues(t *testing.T) {
	g := NewWithT(t)
	m := newMemo(false)
	values := m.Attribute("gpu.example.com/a").Values(slice(t, driver, device(attributes{"a": text("x y")}), device(attributes{"a": number(-5)}),
		device(attributes{"a": boolean(true)}), device(attributes{"a": boolean(false)}), device(nil)))
	var texts []string
	for _, v := range values {
		texts = append(texts, m.Text(v))
	}
	g.Expect(texts).To(Equal([]string{`"x y"`, "-5", "true", "false", "nothing"}))
}
