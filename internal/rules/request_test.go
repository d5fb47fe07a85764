// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

func TestAlternatives(t *testing.T) {
	g := NewWithT(t)
	amounts := map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse("1Gi")}
	exactly := &resourceapi.DeviceRequest{Name: "gpu", Exactly: &resourceapi.ExactDeviceRequest{
		DeviceClassName: "gpu", AllocationMode: resourceapi.DeviceAllocationModeAll, AdminAccess: ptr.To(true),
	}}
	g.Expect(rules.Alternatives(exactly)).To(Equal([]rules.Alternative{
		{Name: "gpu", ClassName: "gpu", Mode: resourceapi.DeviceAllocationModeAll, AdminAccess: true},
	}))
	g.Expect(rules.Alternatives(exactly)[0].All()).To(BeTrue())
	several := &resourceapi.DeviceRequest{Name: "gpu", FirstAvailable: []resourceapi.DeviceSubRequest{
		{Name: "large", DeviceClassName: "gpu", Count: 2}, {Name: "small", DeviceClassName: "part", Capacity: &resourceapi.CapacityRequirements{Requests: amounts}},
	}}
	g.Expect(rules.Alternatives(several)).To(Equal([]rules.Alternative{
		{Name: "gpu/large", ClassName: "gpu", Count: 2}, {Name: "gpu/small", ClassName: "part", Capacity: amounts},
	}))
}

func TestApplies(t *testing.T) {
	for _, test := range []struct {
		requests []string
		name     string
		want     bool
	}{
		{nil, "gpu", true},
		{[]string{"gpu"}, "gpu", true},
		{[]string{"gpu"}, "gpu/large", true},
		{[]string{"gpu/large"}, "gpu/large", true},
		{[]string{"gpu/small"}, "gpu/large", false},
		{[]string{"nic", "gpu"}, "gpu/large", true},
		{[]string{"nic"}, "gpu", false},
	} {
		NewWithT(t).Expect(rules.Applies(test.requests, test.name)).To(Equal(test.want), "%v of %s", test.requests, test.name)
	}
}

// language compiles expressions with all features.
var language = cel.NewCache(10, cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})

func TestSelects(t *testing.T) {
	device := rules.Device{Driver: own, Device: &resourceapi.Device{
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"model": {StringValue: ptr.To("a")}},
	}}
	for expression, want := range map[string]any{
		`device.driver == "nic.example.com"`:                true,
		`device.attributes["nic.example.com"].model == "b"`: false,
		`device.attributes["nic.example.com"].other == "b"`: "no such key: other",
		`device.driver ==`: "", // Does not compile.
	} {
		g := NewWithT(t)
		got, err := rules.Selects(t.Context(), language.GetOrCompile(expression), device)
		if text, fails := want.(string); fails {
			g.Expect(err).To(MatchError(ContainSubstring(text)), expression)
			continue
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got).To(Equal(want), expression)
	}
}

func TestUntolerated(t *testing.T) {
	taint := func(effect resourceapi.DeviceTaintEffect) resourceapi.DeviceTaint {
		return resourceapi.DeviceTaint{Key: "broken", Value: "yes", Effect: effect}
	}
	for name, test := range map[string]struct {
		effect     resourceapi.DeviceTaintEffect
		toleration *resourceapi.DeviceToleration
		excludes   bool
	}{
		"no toleration":       {resourceapi.DeviceTaintEffectNoSchedule, nil, true},
		"NoExecute":           {resourceapi.DeviceTaintEffectNoExecute, nil, true},
		"None":                {resourceapi.DeviceTaintEffectNone, nil, false},
		"everything":          {resourceapi.DeviceTaintEffectNoSchedule, &resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists}, false},
		"the key":             {resourceapi.DeviceTaintEffectNoSchedule, &resourceapi.DeviceToleration{Key: "broken", Operator: resourceapi.DeviceTolerationOpExists}, false},
		"another key":         {resourceapi.DeviceTaintEffectNoSchedule, &resourceapi.DeviceToleration{Key: "old", Operator: resourceapi.DeviceTolerationOpExists}, true},
		"the value":           {resourceapi.DeviceTaintEffectNoSchedule, &resourceapi.DeviceToleration{Key: "broken", Operator: resourceapi.DeviceTolerationOpEqual, Value: "yes"}, false},
		"another value":       {resourceapi.DeviceTaintEffectNoSchedule, &resourceapi.DeviceToleration{Key: "broken", Value: "no"}, true},
		"another effect":      {resourceapi.DeviceTaintEffectNoExecute, &resourceapi.DeviceToleration{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoSchedule}, true},
		"an unknown operator": {resourceapi.DeviceTaintEffectNoSchedule, &resourceapi.DeviceToleration{Operator: "Resembles", Value: "yes"}, true},
	} {
		var tolerations []resourceapi.DeviceToleration
		if test.toleration != nil {
			tolerations = append(tolerations, *test.toleration)
		}
		got := rules.Untolerated([]resourceapi.DeviceTaint{taint(test.effect)}, tolerations)
		if test.excludes {
			NewWithT(t).Expect(got).NotTo(BeEmpty(), name)
		} else {
			NewWithT(t).Expect(got).To(BeEmpty(), name)
		}
	}
}

func TestTaintedBy(t *testing.T) {
	for name, test := range map[string]struct {
		selector *resourceapi.DeviceTaintSelector
		want     bool
	}{
		"no selector":    {nil, false},
		"empty selector": {&resourceapi.DeviceTaintSelector{}, true},
		"all criteria":   {&resourceapi.DeviceTaintSelector{Driver: ptr.To("gpu.example.com"), Pool: ptr.To("node"), Device: ptr.To("gpu-0")}, true},
		"another driver": {&resourceapi.DeviceTaintSelector{Driver: ptr.To("nic.example.com"), Pool: ptr.To("node"), Device: ptr.To("gpu-0")}, false},
		"another pool":   {&resourceapi.DeviceTaintSelector{Pool: ptr.To("other")}, false},
		"another device": {&resourceapi.DeviceTaintSelector{Driver: ptr.To("gpu.example.com"), Device: ptr.To("gpu-1")}, false},
	} {
		rule := &resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{DeviceSelector: test.selector}}
		NewWithT(t).Expect(rules.TaintedBy(rule, "gpu.example.com", "node", "gpu-0")).To(Equal(test.want), name)
	}
}
