// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1alpha3"
)

// Parameters are the opaque parameters of a claim and of its classes. Those of the
// claim are added to those of its classes. Fields for containers are left to a node
// plugin, which finds the parameters in the allocation.
type Parameters struct {
	// Nodes are the only nodes that the claim may be allocated for. Default: all.
	Nodes []string `json:"nodes,omitempty"`
	// Optional allocates the claim without devices if there are not enough.
	Optional bool `json:"optional,omitempty"`
}

// Request is what a claim needs of a driver.
type Request struct {
	Parameters
	// Names has the name of the request of each device.
	Names []string
	// Config are the parameters as they are stored in an allocation.
	Config []resourceapi.DeviceAllocationConfiguration
}

// Read returns what a claim needs of a driver. Classes has the classes of its
// requests by name.
func Read(driver string, claim *resourceapi.ResourceClaim, classes map[string]*resourceapi.DeviceClass) (Request, error) {
	var r Request
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		for _, c := range classes[name].Spec.Config {
			if err := r.add(driver, resourceapi.AllocationConfigSourceClass, nil, c.DeviceConfiguration); err != nil {
				return Request{}, fmt.Errorf("parameters of class %s: %w", name, err)
			}
		}
	}
	for _, c := range claim.Spec.Devices.Config {
		if err := r.add(driver, resourceapi.AllocationConfigSourceClaim, c.Requests, c.DeviceConfiguration); err != nil {
			return Request{}, fmt.Errorf("parameters of claim %s: %w", claim.Name, err)
		}
	}
	for _, request := range claim.Spec.Devices.Requests {
		switch {
		case request.AllocationMode != resourceapi.DeviceAllocationModeExactCount:
			return Request{}, fmt.Errorf("request %s: allocation mode %s is not supported", request.Name, request.AllocationMode)
		case len(request.Selectors) > 0:
			return Request{}, fmt.Errorf("request %s: device selectors are not supported", request.Name)
		}
		for range request.Count {
			r.Names = append(r.Names, request.Name)
		}
	}
	return r, nil
}

// add adds parameters if they are for the driver.
func (r *Request) add(driver string, source resourceapi.AllocationConfigSource, requests []string, c resourceapi.DeviceConfiguration) error {
	if c.Opaque == nil || c.Opaque.Driver != driver {
		return nil
	}
	var p Parameters
	if err := json.Unmarshal(c.Opaque.Parameters.Raw, &p); err != nil {
		return err
	}
	if p.Nodes != nil {
		r.Nodes = p.Nodes
	}
	r.Optional = r.Optional || p.Optional
	r.Config = append(r.Config, resourceapi.DeviceAllocationConfiguration{Source: source, Requests: requests, DeviceConfiguration: c})
	return nil
}

// Allows returns an error if the parameters exclude a node.
func (p Parameters) Allows(node string) error {
	if p.Nodes == nil || slices.Contains(p.Nodes, node) {
		return nil
	}
	return fmt.Errorf("the parameters exclude node %q: they allow %v", node, p.Nodes)
}
