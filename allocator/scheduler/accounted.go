package scheduler

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
)

// accountedDevices returns the devices that represent resources of their node such as cpu or memory (feature
// gate DRANodeAllocatableResources). A pod that uses one would have to be accounted for on the node, which
// the plugin does not do.
func accountedDevices(slices []*resourceapi.ResourceSlice) sets.Set[structured.DeviceID] {
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

// refuseAccounted returns an error if an allocation contains a device of accountedDevices.
func (a *attempt) refuseAccounted(allocation *resourceapi.AllocationResult) error {
	if a.accounted.Len() == 0 {
		return nil
	}
	for i := range allocation.Devices.Results {
		r := &allocation.Devices.Results[i]
		if a.accounted.Has(structured.MakeDeviceID(r.Driver, r.Pool, r.Device)) {
			return fmt.Errorf("device %s/%s/%s stands for resources of the node, which %s does not support", r.Driver, r.Pool, r.Device, Name)
		}
	}
	return nil
}
