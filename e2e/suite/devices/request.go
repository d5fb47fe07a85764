// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
)

// Request is one request of a claim. It is for a number of devices, or for the
// first available of several alternatives.
type Request struct {
	Name   string
	Device subject.Device
	// Count is the number of devices. Zero means 1.
	Count int64
	// FirstAvailable lists the alternatives, the most preferred first. If it is
	// set, Device and Count are not used (KEP-4816).
	FirstAvailable []SubRequest
}

// SubRequest is one subrequest of a request.
type SubRequest struct {
	Name   string
	Device subject.Device
	// Count is the number of devices. Zero means 1.
	Count int64
	// All requests all such devices instead of a count.
	All bool
}

// NewDeviceClaim returns the claim spec for requests and constraints.
func NewDeviceClaim(requests []Request, constraints ...resourceapi.DeviceConstraint) resourceapi.DeviceClaim {
	claim := resourceapi.DeviceClaim{Constraints: constraints}
	for _, r := range requests {
		request := resourceapi.DeviceRequest{Name: r.Name}
		for _, a := range r.FirstAvailable {
			alternative := resourceapi.DeviceSubRequest{
				Name: a.Name, DeviceClassName: a.Device.Class, Selectors: selectors(a.Device), Count: count(a.Count, a.Device), Capacity: capacity(a.Device),
			}
			if a.All {
				alternative.AllocationMode, alternative.Count = resourceapi.DeviceAllocationModeAll, a.Count
			}
			request.FirstAvailable = append(request.FirstAvailable, alternative)
			claim.Config = append(claim.Config, config(r.Name+"/"+a.Name, a.Device)...)
		}
		if len(r.FirstAvailable) == 0 {
			request.Exactly = &resourceapi.ExactDeviceRequest{
				DeviceClassName: r.Device.Class, Selectors: selectors(r.Device), Count: count(r.Count, r.Device), Capacity: capacity(r.Device),
			}
			claim.Config = append(claim.Config, config(r.Name, r.Device)...)
		}
		claim.Requests = append(claim.Requests, request)
	}
	return claim
}

// count returns the number of devices to request, for a driver whose devices
// can only be requested in groups.
func count(groups int64, device subject.Device) int64 {
	if device.Count <= 1 {
		return groups
	}
	return max(groups, 1) * device.Count
}

// config returns the configuration of a request or subrequest.
func config(request string, device subject.Device) []resourceapi.DeviceClaimConfiguration {
	var all []resourceapi.DeviceClaimConfiguration
	for _, c := range device.Config {
		all = append(all, resourceapi.DeviceClaimConfiguration{Requests: []string{request}, DeviceConfiguration: c})
	}
	return all
}

func selectors(device subject.Device) []resourceapi.DeviceSelector {
	if device.Selector == "" {
		return nil
	}
	return []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: string(device.Selector)}}}
}

func capacity(device subject.Device) *resourceapi.CapacityRequirements {
	if device.Capacity == nil {
		return nil
	}
	return &resourceapi.CapacityRequirements{Requests: device.Capacity}
}

// WithAdminAccess returns a copy of a claim whose requests have admin access.
func WithAdminAccess(claim resourceapi.DeviceClaim) resourceapi.DeviceClaim {
	claim = *claim.DeepCopy()
	for i := range claim.Requests {
		claim.Requests[i].Exactly.AdminAccess = ptr.To(true)
	}
	return claim
}
