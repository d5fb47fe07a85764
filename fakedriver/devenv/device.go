// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package devenv defines the environment variables that describe a container's
// allocated devices. There is one variable per device. The fake driver's CDI
// specs set the variables, and the workload reads them. The package uses only
// the standard library.
package devenv

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Prefix is the prefix of the name of every variable.
const Prefix = "DRACONFORM_DEVICE_"

// Device is the value of a variable, encoded as JSON. It describes a device
// that was allocated for a request of a claim. Names are those of the
// ResourceClaim's allocation result.
type Device struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
	// Request is "<request>" or "<request>/<subrequest>".
	Request        string `json:"request"`
	ClaimNamespace string `json:"claimNamespace"`
	ClaimName      string `json:"claimName"`
	ClaimUID       string `json:"claimUID"`
	// Attributes are the device's attributes in its ResourceSlice, converted to
	// strings.
	Attributes map[string]string `json:"attributes"`
	// ShareID is set for a share of a device with allowMultipleAllocations.
	ShareID string `json:"shareID,omitempty"`
	// Configs are the parameters for the driver that apply to the device, in
	// order of increasing precedence: those of the class come before those of
	// the claim.
	Configs []Config `json:"configs,omitempty"`
	// Part is set for a device that spans nodes.
	Part *Part `json:"part,omitempty"`
}

// Part describes the part of a multi-node device on the container's node. It
// differs between the nodes of the device.
type Part struct {
	// Shape is the size of the device in chips, for example "2x4".
	Shape string `json:"shape"`
	// Hosts are the names of the nodes that the device spans, in the order of
	// the topology's hosts. The list is the same for all containers.
	Hosts []string `json:"hosts"`
	// Host is the index of the container's node in Hosts.
	Host int `json:"host"`
	// Chips are the device's chips on that node, by their positions in the grid
	// of the topology, row by row: "2,4" is in row 2 and column 4.
	Chips []string `json:"chips"`
}

// Config is one set of opaque parameters for the driver in a class or a claim.
type Config struct {
	// Source is "FromClass" or "FromClaim", as in the allocation.
	Source string `json:"source"`
	// Parameters are passed on unchanged, except for white space.
	Parameters json.RawMessage `json:"parameters"`
}

// VariableName returns the name of the device's variable. It consists of upper
// case letters, digits and underscores. The device's name is followed by a hash
// of driver, pool, device, claim UID, request and share ID. Two allocation
// results therefore never have the same variable name, even for different
// drivers, pools or claims.
func (d Device) VariableName() string {
	identity := strings.Join([]string{d.Driver, d.Pool, d.Device, d.ClaimUID, d.Request, d.ShareID}, "\x00")
	readable := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(d.Device))
	hash := sha256.Sum256([]byte(identity))
	return fmt.Sprintf("%s%s_%X", Prefix, readable, hash[:hashBytes])
}

// hashBytes is the length of the hash in a name. It is sufficient for the few
// devices of one container.
const hashBytes = 6

// maxVariable is Linux' limit for the length of a variable, including its name.
const maxVariable = 128<<10 - 1

// Variable returns "<name>=<value>". It returns an error if the variable is too
// long for a process environment.
func (d Device) Variable() (string, error) {
	value, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode device %s: %w", d.Device, err)
	}
	variable := d.VariableName() + "=" + string(value)
	if len(variable) > maxVariable {
		return "", fmt.Errorf("encode device %s: its configuration results in an environment variable of %d bytes, at most %d are allowed", d.Device, len(variable), maxVariable)
	}
	return variable, nil
}

// Parse returns the devices in an environment in the format of os.Environ,
// sorted by driver, pool, device, claim UID, request and share ID. It returns
// one error for each variable with Prefix that cannot be decoded.
func Parse(environ []string) ([]Device, []error) {
	var devices []Device
	var errs []error
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, Prefix) {
			continue
		}
		device, err := parse(value)
		if err != nil {
			errs = append(errs, fmt.Errorf("variable %s: %w", name, err))
			continue
		}
		devices = append(devices, device)
	}
	slices.SortFunc(devices, compare)
	return devices, errs
}

func parse(value string) (Device, error) {
	var device Device
	decoder := json.NewDecoder(bytes.NewReader([]byte(value)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&device); err != nil {
		return Device{}, fmt.Errorf("decode device: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return Device{}, fmt.Errorf("decode device: data after the JSON object")
	}
	for _, field := range []struct{ name, value string }{
		{"driver", device.Driver},
		{"pool", device.Pool},
		{"device", device.Device},
		{"request", device.Request},
		{"claimUID", device.ClaimUID},
	} {
		if field.value == "" {
			return Device{}, fmt.Errorf("decode device: %q is missing", field.name)
		}
	}
	return device, nil
}

func compare(a, b Device) int {
	return cmp.Or(
		cmp.Compare(a.Driver, b.Driver),
		cmp.Compare(a.Pool, b.Pool),
		cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.ClaimUID, b.ClaimUID),
		cmp.Compare(a.Request, b.Request),
		cmp.Compare(a.ShareID, b.ShareID),
	)
}
