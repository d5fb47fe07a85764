// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
)

// nodeAllocatableDevices returns the devices that represent resources of their node such as cpu or memory (feature
// gate DRANodeAllocatableResources). The resources of a pod that uses one would have to be subtracted from those of
// the node, which the plugin does not do.
func nodeAllocatableDevices(slices []*resourceapi.ResourceSlice) sets.Set[structured.DeviceID] {
	ids := sets.New[structured.DeviceID]()
	for _, slice := range slices {
		for i := range slice.Spec.Devices {
			if len(slice.Spec.Devices[i].NodeAllocatableResources) > 0 {
				ids.Insert(structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name))
			}
		}
	}
	return ids
}

// rejectNodeAllocatable returns an error if an allocation contains a device of nodeAllocatableDevices.
func (a *attempt) rejectNodeAllocatable(allocation *resourceapi.AllocationResult) error {
	if a.nodeAllocatable.Len() == 0 {
		return nil
	}
	for i := range allocation.Devices.Results {
		r := &allocation.Devices.Results[i]
		if a.nodeAllocatable.Has(structured.MakeDeviceID(r.Driver, r.Pool, r.Device)) {
			return fmt.Errorf("device %s/%s/%s has nodeAllocatableResources, which %s does not support", r.Driver, r.Pool, r.Device, Name)
		}
	}
	return nil
}
