// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

const (
	gpu0   = "ResourceSlice n1-devices: spec.devices[0]"
	policy = "ResourceSlice n1-nics: spec.devices[0].capacity[example.com/bandwidth].requestPolicy"
)

func sliceCases() []ruleCase {
	set := func(change func(p *resourceapi.CapacityRequestPolicy)) func(*world) {
		return func(w *world) { w.policy(change) }
	}
	value := func(a resourceapi.DeviceAttribute) func(*world) {
		return func(w *world) { w.gpu().Attributes["model"] = a }
	}
	return []ruleCase{
		{"object-duplicate", "same name", func(w *world) { w.nics().Name = "n1-devices" },
			[]string{"ResourceSlice n1-devices: metadata.name: is also in testdata/clean.yaml, document 2"}},
		{"object-duplicate", "claims of two namespaces", func(w *world) {
			other := w.Claims[0].DeepCopy()
			other.Namespace = "other"
			w.Add(other)
		}, nil},
		{"name-invalid", "pool with an empty part", func(w *world) { w.nics().Spec.Pool.Name = "a//b" },
			[]string{"ResourceSlice n1-nics: spec.pool.name: is missing, must be a DNS subdomain"}},
		{"name-invalid", "pool with parts", func(w *world) { w.nics().Spec.Pool.Name = "a/b.c" }, nil},
		{"name-invalid", "attribute of 33 characters", func(w *world) {
			w.gpu().Attributes["a12345678901234567890123456789012"] = resourceapi.DeviceAttribute{BoolValue: ptr.To(true)}
		}, []string{gpu0 + ".attributes[a12345678901234567890123456789012]: has 33 characters after the domain, at most 32 are allowed"}},
		{"name-duplicate", "device", func(w *world) { w.gpus().Spec.Devices[2].Name = "gpu-0" },
			[]string{`ResourceSlice n1-devices: spec.devices[2]: "gpu-0" is in the list already`}},
		{"name-duplicate", "subrequest", func(w *world) { w.claim().Requests[1].FirstAvailable[1].Name = "one" },
			[]string{`ResourceClaim two-gpus: spec.devices.requests[1].firstAvailable[1]: "one" is in the list already`}},
		{"slice-pool", "no slices", func(w *world) { w.nics().Spec.Pool.ResourceSliceCount = 0 },
			[]string{"ResourceSlice n1-nics: spec.pool.resourceSliceCount: is 0, must be at least 1"}},
		{"slice-content", "both", func(w *world) { w.gpus().Spec.SharedCounters = w.counters().Spec.SharedCounters },
			[]string{"ResourceSlice n1-devices: spec: has devices and sharedCounters, only one of them is allowed: the counters belong into a slice of their own"}},
		{"slice-node-selection", "none", func(w *world) { w.counters().Spec.NodeName = nil },
			[]string{"ResourceSlice n1-counters: spec: has 0 of nodeName, nodeSelector, allNodes and perDeviceNodeSelection, exactly 1 must be set"}},
		{"slice-node-selection", "not for all nodes", func(w *world) { w.nics().Spec.NodeName, w.nics().Spec.AllNodes = nil, ptr.To(false) },
			[]string{"ResourceSlice n1-nics: spec.allNodes: is false, leave it out or make it true"}},
		{"slice-node-selection", "selector of two terms", func(w *world) {
			w.nics().Spec.NodeName, w.nics().Spec.NodeSelector = nil, &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 2)}
		}, []string{"ResourceSlice n1-nics: spec.nodeSelector.nodeSelectorTerms: has 2 terms, must have exactly 1"}},
		{"slice-node-selection", "per device", func(w *world) {
			w.nics().Spec.NodeName, w.nics().Spec.PerDeviceNodeSelection = nil, ptr.To(true)
			w.nic().AllNodes = ptr.To(true)
		}, nil},
		{"slice-node-selection", "per device without", func(w *world) {
			w.nics().Spec.NodeName, w.nics().Spec.PerDeviceNodeSelection = nil, ptr.To(true)
		}, []string{"ResourceSlice n1-nics: spec.devices[0]: has 0 of nodeName, nodeSelector and allNodes, exactly 1 must be set"}},
		{"slice-node-operations", "half", func(w *world) {
			w.nics().Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{"NodePrepareResources"}
		}, []string{"ResourceSlice n1-nics: spec.skipNodeOperations: skips NodePrepareResources, but not NodeUnprepareResources"}},
		{"slice-node-operations", "both", func(w *world) {
			w.nics().Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{"NodePrepareResources", "NodeUnprepareResources"}
		}, nil},
		{"slice-node-operations", "all", func(w *world) {
			w.nics().Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{"NodePrepareResources", "*"}
		}, nil},
		{"counters-missing", "consumption", func(w *world) { w.gpu().ConsumesCounters[0].Counters = nil },
			[]string{gpu0 + ".consumesCounters[0].counters: has no counters, at least 1 is required"}},
		{"attribute-value", "none", value(resourceapi.DeviceAttribute{}), []string{gpu0 + ".attributes[model]: has 0 values, exactly 1 must be set"}},
		{"attribute-value", "empty list", value(resourceapi.DeviceAttribute{IntValues: []int64{}}),
			[]string{gpu0 + ".attributes[model]: has an empty list, at least 1 value is required"}},
		{"attribute-value", "no version", value(resourceapi.DeviceAttribute{VersionValue: ptr.To("v1")}),
			[]string{gpu0 + `.attributes[model]: "v1" is not a semantic version as on semver.org: No Major.Minor.Patch elements found`}},
		{"request-policy", "dedicated device", func(w *world) { w.nic().AllowMultipleAllocations = nil },
			[]string{policy + ": is not allowed on a device without allowMultipleAllocations"}},
		{"request-policy", "two kinds", set(func(p *resourceapi.CapacityRequestPolicy) { p.ValidValues = quantities("1G") }),
			[]string{policy + ": has validValues and validRange, only one of them is allowed"}},
		{"request-policy", "no default", set(func(p *resourceapi.CapacityRequestPolicy) { p.Default = nil }),
			[]string{policy + ".default: is missing, validValues and validRange need it"}},
		{"request-policy", "max above capacity", set(func(p *resourceapi.CapacityRequestPolicy) { p.ValidRange.Max = ptr.To(resource.MustParse("11G")) }),
			[]string{policy + ".validRange.max: max is 11G, above the capacity of 10G"}},
		{"request-policy", "default below min", set(func(p *resourceapi.CapacityRequestPolicy) { p.Default = ptr.To(resource.MustParse("0")) }),
			[]string{policy + ".validRange.min: min is 1G, above the default of 0"}},
		{"request-policy", "default off step", set(func(p *resourceapi.CapacityRequestPolicy) { p.Default = ptr.To(resource.MustParse("1500M")) }),
			[]string{policy + ".validRange.step: the default of 1500M is not a multiple of 1G from min 1G"}},
		{"request-policy", "no step", set(func(p *resourceapi.CapacityRequestPolicy) { p.ValidRange.Step = ptr.To(resource.MustParse("0")) }),
			[]string{policy + ".validRange.step: is 0, must be above 0"}},
		{"request-policy", "values", set(func(p *resourceapi.CapacityRequestPolicy) {
			p.ValidRange, p.ValidValues = nil, quantities("2G", "2G", "11G")
		}),
			[]string{
				policy + ".validValues[1]: is 2G after 2G, values must ascend",
				policy + ".validValues[2]: is 11G, above the capacity of 10G",
				policy + ".default: is 1G, which is none of the validValues",
			}},
		{"binding-conditions", "one kind", func(w *world) { w.nic().BindingFailureConditions = nil },
			[]string{"ResourceSlice n1-nics: spec.devices[0]: has 1 bindingConditions and 0 bindingFailureConditions, must have both or neither"}},
		{"binding-conditions", "overlap", func(w *world) { w.nic().BindingFailureConditions[0] = "attached" },
			[]string{`ResourceSlice n1-nics: spec.devices[0]: names condition "attached" twice`}},
	}
}
