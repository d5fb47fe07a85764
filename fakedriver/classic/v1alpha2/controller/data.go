// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"encoding/json"
	"fmt"

	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// data is the content of resource handles: what a plugin has to know, whatever happens
// to the class and to the objects with the parameters.
type data struct {
	Devices []inventory.Device `json:"devices"`
	// Class and Claim are the parameters, if there are any.
	Class json.RawMessage `json:"class,omitempty"`
	Claim json.RawMessage `json:"claim,omitempty"`
}

// maxData is the limit of the API for the data of a resource handle.
const maxData = 16 << 10

func (d data) encode() (string, error) {
	content, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode the data for the plugin: %w", err)
	}
	if len(content) > maxData {
		return "", fmt.Errorf("the data for the plugin have %d bytes, of which %d are allowed: the parameters are too long", len(content), maxData)
	}
	return string(content), nil
}

// devicesIn returns the devices in data as pool/name.
func devicesIn(encoded string) []string {
	var d data
	if json.Unmarshal([]byte(encoded), &d) != nil {
		return nil // The driver has encoded it: it has none.
	}
	var names []string
	for _, device := range d.Devices {
		names = append(names, device.String())
	}
	return names
}
