// Package devenv is how the fake driver tells a container which devices it was
// given: one environment variable per device, written by the driver's CDI
// specs and read by the workload. It uses nothing but the standard library.
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

// Prefix begins the name of every variable.
const Prefix = "DRACONFORM_DEVICE_"

// Device is the value of a variable, as JSON: a device that was allocated for a
// request of a claim. Names are those of the ResourceClaim's allocation result.
type Device struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
	// Request is "<request>" or "<request>/<subrequest>".
	Request        string `json:"request"`
	ClaimNamespace string `json:"claimNamespace"`
	ClaimName      string `json:"claimName"`
	ClaimUID       string `json:"claimUID"`
	// Attributes are those of the device in its ResourceSlice, all of them
	// as strings.
	Attributes map[string]string `json:"attributes"`
	// ShareID is set for a share of a device that allows several
	// allocations.
	ShareID string `json:"shareID,omitempty"`
	// Configs are the parameters for the driver that apply to the device,
	// the more important ones last: those of the class come before those of
	// the claim.
	Configs []Config `json:"configs,omitempty"`
	// Part is set for a device that spans nodes.
	Part *Part `json:"part,omitempty"`
}

// Part is what the container's node has of a device that spans nodes. Each node
// tells the containers on it of another part.
type Part struct {
	// Shape is the size of the device in chips, for example "2x4".
	Shape string `json:"shape"`
	// Hosts are the names of the nodes that the device spans, in the order in
	// which the topology counts its hosts: the same for all containers.
	Hosts []string `json:"hosts"`
	// Host is the index of the container's node in Hosts.
	Host int `json:"host"`
	// Chips are the chips of that node that belong to the device, by their
	// positions in the grid of the topology, row by row: "2,4" is in row 2 and
	// column 4.
	Chips []string `json:"chips"`
}

// Config is one of the opaque parameters that a class or a claim has for the
// driver.
type Config struct {
	// Source is "FromClass" or "FromClaim", as in the allocation.
	Source string `json:"source"`
	// Parameters are passed on as they are, except for white space.
	Parameters json.RawMessage `json:"parameters"`
}

// VariableName returns the name of the device's variable. It consists of upper
// case letters, digits and underscores. Two allocation results never share a
// name, also when they come from different drivers, pools or claims: a hash of
// what tells them apart follows the device's name.
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

// hashBytes is how much of the hash a name keeps: enough for the few devices
// that one container ever has.
const hashBytes = 6

// maxVariable is how long Linux lets a variable be, name and all.
const maxVariable = 128<<10 - 1

// Variable returns "<name>=<value>". It is an error if no process could be
// started with that in its environment.
func (d Device) Variable() (string, error) {
	value, err := json.Marshal(d)
	if err != nil {
		return "", fmt.Errorf("encode device %s: %w", d.Device, err)
	}
	variable := d.VariableName() + "=" + string(value)
	if len(variable) > maxVariable {
		return "", fmt.Errorf("encode device %s: its configuration makes an environment variable of %d bytes, at most %d are possible", d.Device, len(variable), maxVariable)
	}
	return variable, nil
}

// Parse returns the devices in an environment as os.Environ returns it, sorted
// by driver, pool, device, claim, request and share. Variables that begin with
// Prefix and cannot be understood are reported one by one.
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
		return Device{}, fmt.Errorf("decode device: something follows the JSON object")
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
