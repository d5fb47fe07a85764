// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package handle is the content of the resource handles of a classic driver for Kubernetes
// 1.30: what the controller tells the plugins.
package handle

import (
	"encoding/json"
	"fmt"

	"github.com/draconform/draconform/fakedriver/classic/inventory"
)

// Data is what a plugin has to know, whatever happens to the class and to the objects with
// the parameters.
type Data struct {
	Devices []inventory.Device `json:"devices"`
	// Class and Claim are the parameters, if there are any.
	Class json.RawMessage `json:"class,omitempty"`
	Claim json.RawMessage `json:"claim,omitempty"`
}

// Max is the limit of the API for the data of a resource handle.
const Max = 16 << 10

// Encode returns the text of a resource handle, or why there is no room.
func (d Data) Encode() (string, error) {
	content, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode the data for the plugin: %w", err)
	}
	if len(content) > Max {
		return "", fmt.Errorf("the data for the plugin have %d bytes, of which %d are allowed: the parameters are too long", len(content), Max)
	}
	return string(content), nil
}

// Decode reads the text of a resource handle.
func Decode(encoded string) (Data, error) {
	var d Data
	if err := json.Unmarshal([]byte(encoded), &d); err != nil {
		return Data{}, fmt.Errorf("read the data for the plugin: %w", err)
	}
	return d, nil
}
