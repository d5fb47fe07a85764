// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"encoding/json"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// configuredDriver is the name of a driver that does not exist. Existing
// drivers must ignore its configuration.
const configuredDriver = "configured.draconform.dev"

// configuration returns a configuration that can be identified by its name.
func configuration(name string) resourceapi.DeviceConfiguration {
	parameters := fmt.Appendf(nil, `{"apiVersion": "%s/v1", "kind": "Name", "name": %q}`, configuredDriver, name)
	return resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: configuredDriver, Parameters: runtime.RawExtension{Raw: parameters}},
	}
}

// configurationsFor returns the names of the configurations in an allocation
// that apply to a request, in the order in which a driver reads them. request
// lists all names of the request.
func configurationsFor(all []resourceapi.DeviceAllocationConfiguration, source resourceapi.AllocationConfigSource, request ...string) ([]string, error) {
	var found []string
	for _, c := range all {
		if c.Source != source || c.Opaque == nil || c.Opaque.Driver != configuredDriver {
			continue
		}
		if len(c.Requests) > 0 && !slices.ContainsFunc(c.Requests, func(name string) bool { return slices.Contains(request, name) }) {
			continue
		}
		var parameters struct{ Name string }
		if err := json.Unmarshal(c.Opaque.Parameters.Raw, &parameters); err != nil {
			return nil, fmt.Errorf("read the configuration %s: %w", c.Opaque.Parameters.Raw, err)
		}
		found = append(found, parameters.Name)
	}
	return found, nil
}
