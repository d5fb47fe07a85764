// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/devicemetadata"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/workload/report"
)

// Offered returns the devices that the ResourceSlices of a driver offer on the
// node of a container.
type Offered func(driver string) (map[audit.DeviceID]resourceapi.Device, error)

// Seen is what a container sees of the devices of a driver.
type Seen struct {
	// Devices lists the devices that the container sees. A device that it sees
	// twice, for two claims, is in the list twice.
	Devices []audit.DeviceID
	// Unidentified is set if the container sees that there are devices, and not
	// which ones.
	Unidentified bool
	// OfPod is set if the container sees what belongs to its pod, and thus also
	// what is there for other containers.
	OfPod bool
	// Others lists the devices of other drivers that the patterns of the driver
	// identify. Pool and device are empty if the container does not see them.
	Others []audit.DeviceID
}

// Seen returns what a container sees of the devices of the driver. It uses the
// first entry of Containers by which the container sees anything. It calls
// offered only if the container does not see both the pool and the name of a
// device.
func (d *Driver) Seen(r report.Report, offered Offered) (Seen, error) {
	var others []audit.DeviceID
	for _, source := range d.Containers {
		seen, problems := d.seenBy(source, r, offered)
		others = append(others, seen.Others...)
		seen.Others = others
		if len(problems) > 0 {
			return Seen{}, fmt.Errorf("the container could not read its devices: %v", problems)
		}
		if len(seen.Devices) > 0 || seen.Unidentified {
			seen.OfPod = source.OfPod()
			return seen, nil
		}
	}
	return Seen{Others: others}, nil
}

// seenBy returns what a container sees in one way, and the problems that
// prevent it from seeing more.
func (d *Driver) seenBy(source Source, r report.Report, offered Offered) (seen Seen, problems []string) {
	if source.Metadata {
		seen.Devices, problems = d.inMetadata(r)
		return seen, problems
	}
	found, problems := d.matches(source.Pattern, r)
	for _, m := range found {
		if driver := d.other(m); driver != "" {
			seen.Others = append(seen.Others, audit.DeviceID{Driver: driver, Pool: m.groups[groupPool], Device: m.groups[groupDevice]})
			continue
		}
		if source.Presence {
			seen.Unidentified = true
			continue
		}
		id, err := d.identify(source, m, offered)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		seen.Devices = append(seen.Devices, id)
	}
	return seen, problems
}

// inMetadata returns the devices in the driver's device metadata files. There
// is one file for each request of a claim.
func (d *Driver) inMetadata(r report.Report) (devices []audit.DeviceID, problems []string) {
	problems = missing(r, report.FieldMetadata)
	for _, file := range slices.Sorted(maps.Keys(r.Metadata)) {
		if path.Base(file) != metadata.MetadataFileName(d.Name) {
			continue
		}
		var of metadata.DeviceMetadata
		if err := devicemetadata.DecodeMetadataFromStream(json.NewDecoder(strings.NewReader(r.Metadata[file])), &of); err != nil {
			problems = append(problems, fmt.Sprintf("decode %s: %v", file, err))
			continue
		}
		for _, request := range of.Requests {
			for _, device := range request.Devices {
				devices = append(devices, audit.DeviceID{Driver: device.Driver, Pool: device.Pool, Device: device.Name})
			}
		}
	}
	return devices, problems
}

// identify returns the device of a match.
func (d *Driver) identify(source Source, m match, offered Offered) (audit.DeviceID, error) {
	pool, name, value := m.groups[groupPool], m.groups[groupDevice], m.groups[groupAttribute]
	if pool != "" && name != "" {
		return audit.DeviceID{Driver: d.Name, Pool: pool, Device: name}, nil
	}
	devices, err := offered(d.Name)
	if err != nil {
		return audit.DeviceID{}, fmt.Errorf("%s: find its device: %w", m.what, err)
	}
	var fit []string
	var last audit.DeviceID
	for id, device := range devices {
		ofName := name == "" || name == id.Device
		ofPool := pool == "" || pool == id.Pool
		ofValue := value == "" || value == attribute(device, d.Name, d.Expand(source.Attribute))
		if ofName && ofPool && ofValue && name+value != "" {
			fit, last = append(fit, id.String()), id
		}
	}
	if len(fit) != 1 {
		slices.Sort(fit)
		return audit.DeviceID{}, fmt.Errorf("%s with %v should be one device of driver %s on the node, it is %d of %d: %v",
			m.what, m.groups, d.Name, len(fit), len(devices), fit)
	}
	return last, nil
}

// attribute returns an attribute of a device as text. It is empty if the device
// does not have the attribute. A name without a domain belongs to the driver's
// domain.
func attribute(device resourceapi.Device, driver, name string) string {
	value, ok := device.Attributes[resourceapi.QualifiedName(name)]
	if short, own := strings.CutPrefix(name, driver+"/"); !ok && own {
		value = device.Attributes[resourceapi.QualifiedName(short)]
	} else if !ok && !strings.Contains(name, "/") {
		value = device.Attributes[resourceapi.QualifiedName(driver+"/"+name)]
	}
	switch {
	case value.StringValue != nil:
		return *value.StringValue
	case value.VersionValue != nil:
		return *value.VersionValue
	case value.IntValue != nil:
		return strconv.FormatInt(*value.IntValue, 10)
	case value.BoolValue != nil:
		return strconv.FormatBool(*value.BoolValue)
	}
	return ""
}
