// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func runtimeKind(h header) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(h.APIVersion, h.Kind)
}

// latest returns the object in version v1.
func latest(object runtime.Object) (runtime.Object, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	if kind.Group != resourceapi.GroupName || kind.Version == resourceapi.SchemeGroupVersion.Version {
		return object, nil
	}
	to := resourceapi.SchemeGroupVersion.WithKind(kind.Kind)
	converted, err := scheme.New(to)
	if err != nil {
		return nil, err
	}
	if err := scheme.Convert(object, converted, nil); err != nil {
		return nil, err
	}
	converted.GetObjectKind().SetGroupVersionKind(to)
	return converted, nil
}

// setDefaults sets the API server's defaults in requests: one device, and tolerations that compare values. It
// does not change fields that are set.
func setDefaults(spec *resourceapi.ResourceClaimSpec) {
	for i := range spec.Devices.Requests {
		request := &spec.Devices.Requests[i]
		if exactly := request.Exactly; exactly != nil {
			setRequestDefaults(&exactly.AllocationMode, &exactly.Count, exactly.Tolerations)
		}
		for j := range request.FirstAvailable {
			sub := &request.FirstAvailable[j]
			setRequestDefaults(&sub.AllocationMode, &sub.Count, sub.Tolerations)
		}
	}
}

func setRequestDefaults(mode *resourceapi.DeviceAllocationMode, count *int64, tolerations []resourceapi.DeviceToleration) {
	if *mode == "" {
		*mode = resourceapi.DeviceAllocationModeExactCount
	}
	if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
	for i := range tolerations {
		if tolerations[i].Operator == "" {
			tolerations[i].Operator = resourceapi.DeviceTolerationOpEqual
		}
	}
}
