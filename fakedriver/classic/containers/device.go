// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package containers makes the devices of claims visible in containers, by CDI. It does not
// depend on a version of the resource API. CDI specs are the only state of plugins, so that
// the next process continues where the last one was.
package containers

import (
	"encoding/json"
	"fmt"
	"strings"
)

// prefix is the prefix of the variables that show devices to containers. Names and
// values have the form of those of the other fake drivers, which cannot be built with
// the Kubernetes modules of legacy releases.
const prefix = "DRACONFORM_DEVICE_"

// Device is the value of a variable.
type Device struct {
	Driver         string   `json:"driver"`
	Pool           string   `json:"pool"`
	Device         string   `json:"device"`
	Request        string   `json:"request"`
	ClaimNamespace string   `json:"claimNamespace"`
	ClaimName      string   `json:"claimName"`
	ClaimUID       string   `json:"claimUID"`
	Configs        []Config `json:"configs,omitempty"`
}

// Config is one set of parameters for the driver.
type Config struct {
	// Source is FromClass or FromClaim.
	Source     string          `json:"source"`
	Parameters json.RawMessage `json:"parameters"`
}

// Variable returns the variable that shows the device. The same device for two claims, or
// requests, has two.
func (d Device) Variable() (string, error) {
	value, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode device %s: %w", d.Device, err)
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(strings.Join([]string{d.Pool, d.Device, d.ClaimUID, d.Request}, "_")))
	return prefix + name + "=" + string(value), nil
}
