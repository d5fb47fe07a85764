// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"context"
	"fmt"

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
	if err != nil {
		return Presence{}, fmt.Errorf("detect whether a ResourceSlice keeps %s: %w", f.field, err)
	}
	return fieldPresence(f.stored(stored.Spec), f.field, "ResourceSlice"), nil
}
