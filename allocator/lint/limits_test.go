// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// limitCases tests each limit with the allowed maximum and with one more.
func limitCases() []ruleCase {
	var cases []ruleCase
	for _, l := range []struct {
		rule, at, of string
		limit        int
		fill         func(w *world, n int)
	}{
		{"limit-devices", "ResourceSlice n1-nics: spec.devices", "devices", 128, func(w *world, n int) {
			w.nics().Spec.Devices = named(n, func(d *resourceapi.Device, name string) { d.Name = name })
		}},
		{"limit-devices", "ResourceSlice n1-nics: spec.devices", "devices of which some have taints, counters or lists", 64, func(w *world, n int) {
			w.nics().Spec.Devices = named(n, func(d *resourceapi.Device, name string) { d.Name = name })
			w.nics().Spec.Devices[0].Taints = make([]resourceapi.DeviceTaint, 1)
		}},
		{"limit-devices", "ResourceSlice n1-nics: spec.devices", "devices of which some have taints, counters or lists", 64, func(w *world, n int) {
			w.nics().Spec.Devices = named(n, func(d *resourceapi.Device, name string) { d.Name = name })
			w.nics().Spec.Devices[n-1].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": {IntValues: []int64{1}}}
		}},
		{"limit-counter-sets", "ResourceSlice n1-counters: spec.sharedCounters", "counter sets", 8, func(w *world, n int) {
			w.counters().Spec.SharedCounters = named(n, func(s *resourceapi.CounterSet, name string) { s.Name = name })
		}},
		{"limit-counters", "ResourceSlice n1-counters: spec.sharedCounters[0].counters", "counters", 32, func(w *world, n int) {
			w.counters().Spec.SharedCounters[0].Counters = keyed[string, resourceapi.Counter](n)
		}},
		{"limit-counters", gpu0 + ".consumesCounters[0].counters", "counters", 32, func(w *world, n int) {
			w.gpu().ConsumesCounters[0].Counters = keyed[string, resourceapi.Counter](n)
		}},
		{"limit-consumption", gpu0 + ".consumesCounters", "counter sets to consume from", 2, func(w *world, n int) {
			w.gpu().ConsumesCounters = named(n, func(c *resourceapi.DeviceCounterConsumption, name string) { c.CounterSet = name })
		}},
		{"limit-compatibility-groups", gpu0 + ".consumesCounters[0].compatibilityGroups", "compatibility groups", 2, func(w *world, n int) {
			w.gpu().ConsumesCounters[0].CompatibilityGroups = make([]string, n)
		}},
		{"limit-attributes", gpu0, "attributes and capacities", 32, func(w *world, n int) {
			w.gpu().Attributes = keyed[resourceapi.QualifiedName, resourceapi.DeviceAttribute](n - 10)
			w.gpu().Capacity = keyed[resourceapi.QualifiedName, resourceapi.DeviceCapacity](10)
		}},
		{"limit-attribute-values", gpu0 + ".attributes", "attribute values", 48, func(w *world, n int) {
			w.gpu().Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"a": {IntValues: make([]int64, n-1)}, "b": {IntValue: ptr.To[int64](1)}}
		}},
		{"attribute-value", gpu0 + ".attributes[model]", "characters", 64, func(w *world, n int) {
			w.gpu().Attributes["model"] = resourceapi.DeviceAttribute{StringValue: ptr.To(strings.Repeat("x", n))}
		}},
		{"limit-taints", gpu0 + ".taints", "taints", 16, func(w *world, n int) { w.gpu().Taints = make([]resourceapi.DeviceTaint, n) }},
		{"limit-binding-conditions", gpu0 + ".bindingConditions", "binding conditions", 4, func(w *world, n int) { w.gpu().BindingConditions = make([]string, n) }},
		{"limit-binding-conditions", gpu0 + ".bindingFailureConditions", "binding failure conditions", 4, func(w *world, n int) { w.gpu().BindingFailureConditions = make([]string, n) }},
		{"limit-policy-values", policy + ".validValues", "valid values", 10, func(w *world, n int) {
			w.policy(func(p *resourceapi.CapacityRequestPolicy) {
				p.ValidValues = quantities(strings.Fields(strings.Repeat("1 ", n))...)
			})
		}},
		{"limit-requests", "ResourceClaim two-gpus: spec.devices.requests", "requests", 32, func(w *world, n int) { w.claim().Requests = make([]resourceapi.DeviceRequest, n) }},
		{"limit-requests", "ResourceClaim two-gpus: spec.devices.constraints", "constraints", 32, func(w *world, n int) { w.claim().Constraints = make([]resourceapi.DeviceConstraint, n) }},
		{"limit-requests", "ResourceClaim two-gpus: spec.devices.config", "entries of configuration", 32, func(w *world, n int) { w.claim().Config = make([]resourceapi.DeviceClaimConfiguration, n) }},
		{"limit-requests", "ResourceClaim two-gpus: spec.devices.requests[1].firstAvailable", "subrequests", 8, func(w *world, n int) {
			w.claim().Requests[1].FirstAvailable = make([]resourceapi.DeviceSubRequest, n)
		}},
		{"limit-requests", "DeviceClass gpu.example.com: spec.config", "entries of configuration", 32, func(w *world, n int) { w.class().Spec.Config = make([]resourceapi.DeviceClassConfiguration, n) }},
		{"limit-selectors", "DeviceClass gpu.example.com: spec.selectors", "selectors", 32, func(w *world, n int) { w.class().Spec.Selectors = make([]resourceapi.DeviceSelector, n) }},
		{"limit-selectors", "DeviceClass gpu.example.com: spec.selectors[0].cel.expression", "characters", 10240, func(w *world, n int) {
			w.class().Spec.Selectors[0].CEL.Expression = "true" + strings.Repeat(" ", n-4)
		}},
		{"limit-parameters", "DeviceClass gpu.example.com: spec.config[0].opaque.parameters", "bytes", 10240, func(w *world, n int) {
			w.class().Spec.Config[0].Opaque.Parameters = runtime.RawExtension{Raw: []byte("{" + strings.Repeat(" ", n-2) + "}")}
		}},
		// The second request needs 1 device, whichever alternative is chosen.
		{"limit-results", "ResourceClaim two-gpus: spec.devices.requests", "devices to allocate", 32, func(w *world, n int) { w.claim().Requests[0].Exactly.Count = int64(n - 1) }},
	} {
		cases = append(cases,
			ruleCase{l.rule, fmt.Sprintf("%d %s", l.limit, l.of), func(w *world) { l.fill(w, l.limit) }, nil},
			ruleCase{l.rule, fmt.Sprintf("%d %s", l.limit+1, l.of), func(w *world) { l.fill(w, l.limit+1) },
				[]string{fmt.Sprintf("%s: has %d %s, at most %d are allowed", l.at, l.limit+1, l.of, l.limit)}})
	}
	return cases
}

// named returns n elements with unique names.
func named[T any](n int, name func(*T, string)) []T {
	list := make([]T, n)
	for i := range list {
		name(&list[i], fmt.Sprintf("x%d", i))
	}
	return list
}

func keyed[K ~string, V any](n int) map[K]V {
	m := map[K]V{}
	for i := range n {
		var zero V
		m[K(fmt.Sprintf("x%d", i))] = zero
	}
	return m
}
