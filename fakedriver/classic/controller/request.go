// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// request is what a claim needs of a driver.
type request struct {
	inventory.Parameters
	// names has the name of the request of each device.
	names []string
	// config are the parameters as they are stored in an allocation.
	config []resourceapi.DeviceAllocationConfiguration
}

// readRequest returns what a claim needs of a driver. Classes has the classes of its
// requests by name.
func readRequest(driver string, claim *resourceapi.ResourceClaim, classes map[string]*resourceapi.DeviceClass) (request, error) {
	var r request
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		if fault.IgnoresClassParameters {
			continue
		}
		for _, c := range classes[name].Spec.Config {
			if err := r.add(driver, resourceapi.AllocationConfigSourceClass, nil, c.DeviceConfiguration); err != nil {
				return request{}, fmt.Errorf("parameters of class %s: %w", name, err)
			}
		}
	}
	for _, c := range claim.Spec.Devices.Config {
		if fault.IgnoresClaimParameters {
			continue
		}
		if err := r.add(driver, resourceapi.AllocationConfigSourceClaim, c.Requests, c.DeviceConfiguration); err != nil {
			return request{}, fmt.Errorf("parameters of claim %s: %w", claim.Name, err)
		}
	}
	for _, of := range claim.Spec.Devices.Requests {
		switch {
		case of.AllocationMode != resourceapi.DeviceAllocationModeExactCount:
			return request{}, fmt.Errorf("request %s: allocation mode %s is not supported", of.Name, of.AllocationMode)
		case len(of.Selectors) > 0:
			return request{}, fmt.Errorf("request %s: device selectors are not supported", of.Name)
		}
		for range of.Count {
			r.names = append(r.names, of.Name)
		}
	}
	if fault.GivesOneDevice {
		r.names = r.names[:min(1, len(r.names))]
	}
	return r, nil
}

// add adds parameters if they are for the driver.
func (r *request) add(driver string, source resourceapi.AllocationConfigSource, requests []string, c resourceapi.DeviceConfiguration) error {
	if c.Opaque == nil || c.Opaque.Driver != driver {
		return nil
	}
	if err := r.Parameters.Add(c.Opaque.Parameters.Raw); err != nil {
		return err
	}
	r.config = append(r.config, resourceapi.DeviceAllocationConfiguration{Source: source, Requests: requests, DeviceConfiguration: c})
	return nil
}
