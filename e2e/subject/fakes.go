// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"bytes"
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// Fakes has the names of the suite's fake drivers. A driver with an empty name
// is not installed.
type Fakes struct {
	// MIG is the driver of A100 40GB GPUs. Each node has one or more of them.
	MIG string
	// WithoutPartitions is set if MIG has GPUs that cannot be partitioned. Each
	// node has four or more of them.
	WithoutPartitions bool
	// TPU is the driver of a 4x4 topology over four hosts.
	TPU string
	// NIC is the driver of network interfaces that claims share. Each node has
	// some of them.
	NIC string
}

// Subject returns the description of the devices of the fake drivers.
func (f Fakes) Subject() Subject {
	s := Subject{Seen: seen}
	if f.MIG != "" && f.WithoutPartitions {
		s.Exclusive = whole(f.MIG)
	} else if f.MIG != "" {
		s.Partitions = mig(f.MIG)
		s.Exclusive = &Exclusive{Parents: s.Partitions.Parents, Device: s.Partitions.Small, Needs: []features.Feature{features.Partitions}}
	}
	if f.TPU != "" {
		slice := func(shape string) Device {
			return Device{Driver: f.TPU, Class: f.TPU, Selector: Selector(fmt.Sprintf("device.attributes[%q].shape == %q", f.TPU, shape))}
		}
		s.MultiHost = &MultiHost{Pair: slice("2x4"), Quad: slice("4x4"), Part: part}
	}
	if f.NIC != "" {
		s.Shared = &Shared{
			Share: Device{
				Driver: f.NIC, Class: f.NIC, Selector: "device.allowMultipleAllocations == true",
				Capacity: map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse("1")},
			},
			Identity: f.NIC + "/uuid",
			Apart: &Apart{
				Keys: []string{subnet},
				One:  opaque(affinity.EntryDriver, stated("a")), Other: opaque(affinity.EntryDriver, stated("b")),
				Contradicts: opaque(f.NIC, map[string]any{"attributes": attributes("b")}),
			},
		}
	}
	return s
}

// subnet is the attribute key of the sharing affinity of network interfaces.
const subnet = "nic.draconform.dev/subnet"

// stated returns the parameters by which a claim states its subnet.
func stated(value string) map[string]any {
	return map[string]any{"apiVersion": affinity.EntryAPIVersion, "kind": affinity.EntryKind, "attributes": attributes(value)}
}

func attributes(value string) map[string]any {
	return map[string]any{subnet: map[string]any{"string": value}}
}

// opaque returns a device configuration with parameters for a driver.
func opaque(driver string, parameters map[string]any) resourceapi.DeviceConfiguration {
	// Maps of strings always encode, so the error is ignored.
	raw, _ := json.Marshal(parameters)
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: raw}}}
}

// gpus returns the parents for a driver of GPUs, partitionable or not.
func gpus(driver string) Parents {
	return Parents{
		Parent: driver + "/parentUUID",
		Whole:  Device{Driver: driver, Class: driver, Selector: Selector(fmt.Sprintf("device.attributes[%q].type == \"gpu\"", driver))},
	}
}

// whole returns the description of GPUs that cannot be partitioned.
func whole(driver string) *Exclusive {
	parents := gpus(driver)
	return &Exclusive{Parents: parents, Device: parents.Whole}
}

// mig returns the description of one or more A100 40GB. The figures are from
// KEP-4815: Mix is its example claim, and two 3g.20gb use all eight memory
// slices.
func mig(driver string) *Partitions {
	profile := func(name string) Device {
		// Whole devices have no profile. Reading the profile of a whole device
		// is a CEL runtime error, so the type is checked first.
		selector := fmt.Sprintf("device.attributes[%q].type == \"mig\" && device.attributes[%q].profile == %q", driver, driver, name)
		return Device{Driver: driver, Class: driver, Selector: Selector(selector)}
	}
	return &Partitions{
		Parents: gpus(driver),
		Profile: driver + "/profile",
		Small:   profile("1g.5gb"),
		Big:     profile("3g.20gb"),
		Mix:     []Device{profile("1g.5gb"), profile("1g.5gb"), profile("2g.10gb"), profile("3g.20gb")},
		Full:    []Device{profile("3g.20gb"), profile("3g.20gb")},
	}
}

// seen returns the devices that a container reports.
func seen(log []byte) ([]audit.DeviceID, error) {
	devices, err := reported(log)
	if err != nil {
		return nil, err
	}
	var ids []audit.DeviceID
	for _, d := range devices {
		ids = append(ids, audit.DeviceID{Driver: d.Driver, Pool: d.Pool, Device: d.Device})
	}
	return ids, nil
}

// part returns the part of the only device that a container reports.
func part(log []byte) (Part, error) {
	devices, err := reported(log)
	switch {
	case err != nil:
		return Part{}, err
	case len(devices) != 1 || devices[0].Part == nil:
		return Part{}, fmt.Errorf("the container should have a part of one device, it reports %d devices: %q", len(devices), log)
	}
	p := devices[0].Part
	if p.Host < 0 || p.Host >= len(p.Hosts) {
		return Part{}, fmt.Errorf("the container has the part of host %d, of %v", p.Host, p.Hosts)
	}
	return Part{Nodes: p.Hosts, Node: p.Hosts[p.Host], Pieces: p.Chips}, nil
}

// reported parses the first line that the workload prints.
func reported(log []byte) ([]devenv.Device, error) {
	line, _, ok := bytes.Cut(log, []byte("\n"))
	if !ok {
		return nil, fmt.Errorf("the container has not reported its devices yet; its log: %q", log)
	}
	var r report.Report
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, fmt.Errorf("read the container's report %q: %w", line, err)
	}
	// Other output would be mistaken for a container without devices.
	if r.Kind != report.Kind {
		return nil, fmt.Errorf("the container's first line is no report of kind %s: %q", report.Kind, line)
	}
	if len(r.Errors) > 0 {
		return nil, fmt.Errorf("the container could not read its devices: %v", r.Errors)
	}
	return r.Devices, nil
}
