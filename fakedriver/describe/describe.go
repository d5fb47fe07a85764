// Package describe compiles a compact description of devices, in the language
// of KEP-4815's first draft, into what ResourceSlices of resource.k8s.io/v1
// hold.
package describe

import (
	"errors"
)

// Compile returns the devices and counter sets of a description, a YAML
// document in the shape of KEP-4815's first draft:
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
// Mixins are applied in the order in which a device includes them, the last one
// wins, and what the device says itself wins over all of them. A device that
// other devices consume capacity from becomes a counter set; see connect and
// counterSet for what that means when they are nested. The draft's limits for
// mixins (8 in a device, 128 mixins and devices) do not apply, because nothing
// of them gets published.
//
// Fields of a v1 Device stand beside those of the draft: a capacity may be
// written with value instead of quantity and may have a requestPolicy, a device
// may have allowMultipleAllocations (KEP-5075). Such a device may also have the
// field that KEP-5981 wants to add to it (revision 44f990de4), which becomes an
// annotation, see package affinity:
//
//	devices:
//	- name: nic-0
//	  basic:
//	    allowMultipleAllocations: true
//	    sharingAffinity: {attributeKeys: [net.example.com/subnet]}
//	    capacity:
//	      slots: {value: 16, requestPolicy: {default: 1, validRange: {min: 1}}}
//
// What the API would refuse about the draft's own examples is made admissible:
// the device gpu-0-mig-1g.5gb-0 becomes gpu-0-mig-1g-5gb-0 (a DNS label), the
// capacity copy-engines becomes copyEngines (a C identifier), the counter for
// memorySlice0 is memory-slice-0 (a DNS label), and the version 560.35.03
// becomes 560.35.3 (Semantic Versioning). Two names that become the same one
// are an error.
//
// Partitions come before the devices that they are parts of, the smallest
// first, see smallestFirst. An error names the device and the line. It is also
// one if the result would break a limit of the API, see Inventory.Validate.
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
			return nil, within(device.affinity.line, err, "device %q", device.written)
		}
		inventory.declare(device.device.Name, device.affinity.Declaration)
	}
	return inventory, nil
}
