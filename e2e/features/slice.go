// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// sliceField is a field of a ResourceSlice that an API server may drop.
type sliceField struct {
	field  string
	set    func(*resourceapi.ResourceSliceSpec)
	stored func(resourceapi.ResourceSliceSpec) bool
	// rest is the field that an API server rejects as invalid after it has dropped
	// this one. It is empty if the rest of the slice is valid.
	rest string
}

var sharedCounters = sliceField{
	field: "spec.sharedCounters",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		spec.SharedCounters = []resourceapi.CounterSet{{
			Name:     "probe",
			Counters: map[string]resourceapi.Counter{"probe": {Value: resource.MustParse("1")}},
		}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool { return len(spec.SharedCounters) > 0 },
}

var multipleAllocations = sliceField{
	field: "spec.devices[].allowMultipleAllocations",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		spec.Devices = []resourceapi.Device{{Name: "probe", AllowMultipleAllocations: ptr.To(true)}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && spec.Devices[0].AllowMultipleAllocations != nil
	},
}

var fractionalRange = sliceField{
	field: "spec.devices[].capacity{}.requestPolicy.validRange with fractions",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		// Rounded to whole numbers, the maximum is between two steps.
		least, most, step := resource.MustParse("500m"), resource.MustParse("3500m"), resource.MustParse("1500m")
		policy := &resourceapi.CapacityRequestPolicy{Default: &least, ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: &least, Max: &most, Step: &step}}
		spec.Devices = []resourceapi.Device{{
			Name: "probe", AllowMultipleAllocations: ptr.To(true),
			Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"probe": {Value: resource.MustParse("4"), RequestPolicy: policy}},
		}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && spec.Devices[0].Capacity["probe"].RequestPolicy != nil
	},
	rest: "spec.devices[0].capacity", // API servers without the feature round the range.
}

var taints = sliceField{
	field: "spec.devices[].taints",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		taint := resourceapi.DeviceTaint{Key: "probe.draconform.dev/taint", Effect: resourceapi.DeviceTaintEffectNoSchedule}
		spec.Devices = []resourceapi.Device{{Name: "probe", Taints: []resourceapi.DeviceTaint{taint}}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && len(spec.Devices[0].Taints) == 1
	},
}

var bindingConditions = sliceField{
	field: "spec.devices[].bindingConditions",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		spec.Devices = []resourceapi.Device{{
			Name: "probe", BindingConditions: []string{"probe.draconform.dev/ready"}, BindingFailureConditions: []string{"probe.draconform.dev/failed"},
		}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && len(spec.Devices[0].BindingConditions) == 1
	},
}

var listAttributes = sliceField{
	field: "spec.devices[].attributes{}.strings",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		attributes := map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"probe": {StringValues: []string{"probe"}}}
		spec.Devices = []resourceapi.Device{{Name: "probe", Attributes: attributes}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && len(spec.Devices[0].Attributes["probe"].StringValues) == 1
	},
	rest: "spec.devices[0].attributes", // An attribute needs a value.
}

var compatibilityGroups = sliceField{
	field: "spec.devices[].consumesCounters[].compatibilityGroups",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		spec.Devices = []resourceapi.Device{{Name: "probe", ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
			CounterSet: "probe", Counters: map[string]resourceapi.Counter{"probe": {Value: resource.MustParse("1")}},
			CompatibilityGroups: []string{"probe"},
		}}}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && len(spec.Devices[0].ConsumesCounters) == 1 && len(spec.Devices[0].ConsumesCounters[0].CompatibilityGroups) == 1
	},
	rest: "spec.devices[0].consumesCounters", // Kubernetes 1.34 requires the counters in the same slice.
}

var partitionTypes = sliceField{
	field: "spec.partitionTypeAttribute",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		spec.PartitionTypeAttribute = ptr.To(resourceapi.FullyQualifiedName(spec.Driver + "/probe"))
		spec.Devices = []resourceapi.Device{{
			Name: "probe", Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"probe": {StringValue: ptr.To("probe")}},
			ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
				CounterSet: "probe", Counters: map[string]resourceapi.Counter{"probe": {Value: resource.MustParse("1")}},
			}},
		}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool { return spec.PartitionTypeAttribute != nil },
	rest:   "spec.devices[0].consumesCounters", // Kubernetes 1.34 requires the counters in the same slice.
}

var nodeAllocatable = sliceField{
	field: "spec.devices[].nodeAllocatableResources{}.mapping",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		// API servers reject such devices of nodes that do not declare the feature. No
		// node has this label.
		spec.AllNodes, spec.NodeSelector = nil, &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "probe.draconform.dev/none", Operator: corev1.NodeSelectorOpExists}},
		}}}
		mapping := &resourceapi.NodeAllocatableMapping{DeviceMultiplier: ptr.To(resource.MustParse("1"))}
		spec.Devices = []resourceapi.Device{{
			Name: "probe", NodeAllocatableResources: map[corev1.ResourceName]resourceapi.NodeAllocatableResource{corev1.ResourceCPU: {Mapping: mapping}},
		}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool {
		return len(spec.Devices) == 1 && spec.Devices[0].NodeAllocatableResources[corev1.ResourceCPU].Mapping != nil
	},
	rest: "spec.devices[0].nodeAllocatableResources", // Kubernetes 1.36 requires other fields.
}

var skipNodeOperations = sliceField{
	field: "spec.skipNodeOperations",
	set: func(spec *resourceapi.ResourceSliceSpec) {
		spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
		spec.Devices = []resourceapi.Device{{Name: "probe"}}
	},
	stored: func(spec resourceapi.ResourceSliceSpec) bool { return len(spec.SkipNodeOperations) == 1 },
}

// try writes a slice with the field, as a dry run.
func (f sliceField) try(ctx context.Context, client kubernetes.Interface, _ string) (Presence, error) {
	slice := &resourceapi.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "draconform-probe-"},
		Spec: resourceapi.ResourceSliceSpec{
			Driver:   "probe.draconform.dev",
			Pool:     resourceapi.ResourcePool{Name: "probe", Generation: 1, ResourceSliceCount: 1},
			AllNodes: ptr.To(true),
		},
	}
	f.set(&slice.Spec)
	stored, err := client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil && (f.rest == "" || !isInvalid(err, f.rest)) {
		return Presence{}, fmt.Errorf("detect whether a ResourceSlice keeps %s: %w", f.field, err)
	}
	return fieldPresence(err == nil && f.stored(stored.Spec), f.field, "ResourceSlice"), nil
}
