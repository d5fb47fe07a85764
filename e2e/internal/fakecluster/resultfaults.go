// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// eachAllocation returns an alteration of the allocations of claims.
func eachAllocation(alter func(*Scene, *resourceapi.DeviceClaim, *resourceapi.DeviceAllocationResult)) func(*Scene, []resourceapi.AllocationResult) {
	return func(s *Scene, results []resourceapi.AllocationResult) {
		for i := range results {
			alter(s, &s.Claims[i].Spec.Devices, &results[i].Devices)
		}
	}
}

// keepConfig adds the configuration of the subrequests that were not chosen:
// that of their DeviceClass, and that of the claim.
func keepConfig(s *Scene, c *resourceapi.DeviceClaim, d *resourceapi.DeviceAllocationResult) {
	for _, request := range c.Requests {
		for _, subrequest := range request.FirstAvailable {
			name := request.Name + "/" + subrequest.Name
			if isChosen(d, name) {
				continue
			}
			add := func(source resourceapi.AllocationConfigSource, config resourceapi.DeviceConfiguration) {
				d.Config = append(d.Config, resourceapi.DeviceAllocationConfiguration{Source: source, Requests: []string{name}, DeviceConfiguration: config})
			}
			for _, class := range s.Objects.Classes {
				for _, config := range class.Spec.Config {
					if class.Name == subrequest.DeviceClassName {
						add(resourceapi.AllocationConfigSourceClass, config.DeviceConfiguration)
					}
				}
			}
			for _, config := range c.Config {
				if slices.Contains(config.Requests, name) {
					add(resourceapi.AllocationConfigSourceClaim, config.DeviceConfiguration)
				}
			}
		}
	}
}

func widenConfig(_ *Scene, _ *resourceapi.DeviceClaim, d *resourceapi.DeviceAllocationResult) {
	for i := range d.Config {
		d.Config[i].Requests = nil
	}
}

// repeatDevices allocates the same device for equal requests that follow each
// other.
func repeatDevices(_ *Scene, c *resourceapi.DeviceClaim, d *resourceapi.DeviceAllocationResult) {
	exactly := func(name string) *resourceapi.ExactDeviceRequest {
		i := slices.IndexFunc(c.Requests, func(r resourceapi.DeviceRequest) bool { return r.Name == requestOf(name) })
		return c.Requests[i].Exactly
	}
	for i := 1; i < len(d.Results); i++ {
		before, r := &d.Results[i-1], &d.Results[i]
		if request := exactly(r.Request); request != nil && equality.Semantic.DeepEqual(exactly(before.Request), request) {
			r.Pool, r.Device = before.Pool, before.Device
		}
	}
}

func inventDevices(_ *Scene, _ *resourceapi.DeviceClaim, d *resourceapi.DeviceAllocationResult) {
	for i := range d.Results {
		d.Results[i].Device += "-invented"
	}
}

func nameRequests(_ *Scene, _ *resourceapi.DeviceClaim, d *resourceapi.DeviceAllocationResult) {
	for i := range d.Results {
		d.Results[i].Request = requestOf(d.Results[i].Request)
	}
}

func nameFirstSubrequests(_ *Scene, c *resourceapi.DeviceClaim, d *resourceapi.DeviceAllocationResult) {
	for i := range d.Results {
		for _, request := range c.Requests {
			if name := d.Results[i].Request; isSubrequest(name) && requestOf(name) == request.Name {
				d.Results[i].Request = request.Name + "/" + request.FirstAvailable[0].Name
			}
		}
	}
}
