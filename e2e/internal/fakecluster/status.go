package fakecluster

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// storeStatus imitates the API server for the device status that drivers
// report. It returns an error for devices and shares that are not allocated to
// the claim.
func (c *Cluster) storeStatus(claim *resourceapi.ResourceClaim) error {
	reported := claim.Status.Devices
	for i, device := range reported {
		if !c.Mistakes.StoresAnyStatus && !isAllocated(claim, device) {
			invalid := field.Invalid(field.NewPath("status", "devices").Index(i), device, "must be an allocated device in the claim")
			return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), claim.Name, field.ErrorList{invalid})
		}
		if c.Mistakes.MixesUpShares {
			reported[i].Conditions = reported[0].Conditions
		}
	}
	return nil
}

func isAllocated(claim *resourceapi.ResourceClaim, device resourceapi.AllocatedDeviceStatus) bool {
	return claim.Status.Allocation != nil && slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return r.Driver == device.Driver && r.Pool == device.Pool && r.Device == device.Device && string(ptr.Deref(r.ShareID, "")) == ptr.Deref(device.ShareID, "")
	})
}
