// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package describe compiles a compact description of devices into the devices
// and counter sets of ResourceSlices in resource.k8s.io/v1. The description
// uses the format of KEP-4815's first draft.
package describe

import (
	"errors"
)

// Compile returns the devices and counter sets of a description. The
// description is a YAML document in the format of KEP-4815's first draft:
//
//	deviceMixins:                    # shared by devices, not devices themselves
//	- name: half
//	  composite:
//	    attributes: {profile: {string: half}}
//	    capacity: {memory: {quantity: 20Gi}}
//	devices:
//	- name: gpu-0
//	  composite:                     # or basic, without the next two fields
//	    capacity: {memory: {quantity: 40Gi}}
//	- name: gpu-0-half-0
//	  composite:
//	    includes: [{name: half}]
//	    consumesCapacityFrom: [{name: gpu-0}]
//
// Mixins are applied in the order in which a device includes them. A later
// mixin overrides an earlier one, and the device's own properties override all
// mixins. A device that other devices consume capacity from becomes a counter
// set. See connect and counterSet for nested devices. The draft's limits for
// mixins (8 in a device, 128 mixins and devices) do not apply because mixins
// are not published.
//
// Fields of a v1 Device are accepted in addition to those of the draft. A
// capacity may use value instead of quantity and may have a requestPolicy. A
// device may have allowMultipleAllocations (KEP-5075). Such a device may also
// have the field that KEP-5981 proposes (revision 44f990de4). That field
// becomes an annotation, see package affinity:
//
//	devices:
//	- name: nic-0
//	  basic:
//	    allowMultipleAllocations: true
//	    sharingAffinity: {attributeKeys: [net.example.com/subnet]}
//	    capacity:
//	      slots: {value: 16, requestPolicy: {default: 1, validRange: {min: 1}}}
//
// Names and values in the draft's own examples that the API rejects are
// converted to valid ones: the device gpu-0-mig-1g.5gb-0 becomes
// gpu-0-mig-1g-5gb-0 (a DNS label), the capacity copy-engines becomes
// copyEngines (a C identifier), the counter for memorySlice0 is memory-slice-0
// (a DNS label), and the version 560.35.03 becomes 560.35.3 (Semantic
// Versioning). It is an error if two different names become the same name.
//
// Partitions come before the devices that they are parts of, the smallest
// first, see smallestFirst. An error names the device and the line. A result
// that exceeds a limit of the API is an error, see Inventory.Validate.
func Compile(description []byte) (*Inventory, error) {
	doc, err := parse(description)
	if err != nil {
		return nil, err
	}
	if len(doc.Devices) == 0 {
		return nil, errors.New("the description has no devices")
	}
	devices, err := flatten(doc)
	if err != nil {
		return nil, err
	}
	if err := connect(devices); err != nil {
		return nil, err
	}
	inventory := &Inventory{}
	for _, device := range devices {
		if device.source != nil || len(device.sinks) == 0 {
			continue
		}
		set, err := counterSet(device)
		if err == nil {
			err = about(checkCounterSet(set), "counter set %q", set.Name)
		}
		if err != nil {
			return nil, within(device.line, err, "device %q", device.written)
		}
		inventory.CounterSets = append(inventory.CounterSets, set)
	}
	for _, device := range smallestFirst(devices) {
		if err := checkDevice(&device.device); err != nil {
			return nil, within(device.line, err, "device %q", device.written)
		}
		inventory.Devices = append(inventory.Devices, device.device)
		if device.affinity == nil {
			continue
		}
		if err := checkAffinity(&device.device, device.affinity.Declaration); err != nil {
			return nil, within(device.affinity.Line, err, "device %q", device.written)
		}
		inventory.declare(device.device.Name, device.affinity.Declaration)
	}
	return inventory, nil
}
