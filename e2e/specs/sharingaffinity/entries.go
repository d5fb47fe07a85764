// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"encoding/json"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/internal/rules"
)

// subnet is the key that the devices declare in specs without a table.
const subnet = "subnet"

// entry is an entry of a claim's configuration.
type entry struct {
	// Requests are the requests that the entry applies to. If it is empty, the
	// entry applies to all requests.
	Requests []string `json:"requests"`
	// Values are the attributes of an entry of the kind StructuredParameters.
	Values map[string]string `json:"values"`
	// Parameters are the opaque parameters of any other entry.
	Parameters map[string]any `json:"parameters"`
	// Driver is the driver that the entry is for. Empty means resource.k8s.io.
	Driver string `json:"driver"`
}

// inSubnet returns an entry that states a subnet for the given requests, or for
// all requests if there are none.
func inSubnet(value string, requests ...string) entry {
	return entry{Requests: requests, Values: map[string]string{subnet: value}}
}

// newClaim returns the spec of a claim with requests and configuration.
func newClaim(requests []devices.Request, entries ...entry) resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim(requests)
	for _, c := range entries {
		claim.Config = append(claim.Config, resourceapi.DeviceClaimConfiguration{Requests: c.Requests, DeviceConfiguration: c.configuration()})
	}
	return claim
}

// withName returns a request under another name.
func withName(name string, request []devices.Request) devices.Request {
	request[0].Name = name
	return request[0]
}

func (c entry) configuration() resourceapi.DeviceConfiguration {
	parameters, driver := c.Parameters, c.Driver
	if driver == "" {
		driver = rules.EntryDriver
	}
	if c.Values != nil {
		attributes := map[string]any{}
		for key, value := range c.Values {
			attributes[fixture.QualifiedKey(key)] = map[string]any{"string": value}
		}
		parameters = map[string]any{"apiVersion": rules.EntryAPIVersion, "kind": rules.EntryKind, "attributes": attributes}
	}
	raw, err := json.Marshal(parameters)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: raw}},
	}
}
