// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// groupFeatures are the features that specs of compatibility groups need.
var groupFeatures = slices.Concat(partitionFeatures, []features.Feature{features.CompatibilityGroups})

// meeting has devices that consume counters of one set. The counters suffice for
// all of them.
type meeting struct {
	// Name is the name of the counter set.
	Name string
	// Members has the compatibility groups of devices that can be allocated
	// together.
	Members [][]string
	// Candidate has the groups of one more device.
	Candidate []string
	// Refused states why the candidate must not join the members. It is empty if
	// it must be able to.
	Refused string
}

// member returns the name of a device: a member by its number, or the candidate
// with the number of members.
func (m meeting) member(i int) string { return fmt.Sprintf("%s-%d", m.Name, i) }

// candidate returns the name of the device of the candidate.
func (m meeting) candidate() string { return m.member(len(m.Members)) }

// inventoryOf returns the devices and counter sets of all meetings. The attribute
// meeting has the name of the meeting of a device.
func inventoryOf(all []meeting) *simulated.Inventory {
	inventory := &simulated.Inventory{}
	for _, m := range all {
		inventory.CounterSets = append(inventory.CounterSets, counterSet(m.Name))
		for i, groups := range append(slices.Clone(m.Members), m.Candidate) {
			device := grouped(m.member(i), consumption{m.Name, groups})
			device.Attributes["meeting"] = resourceapi.DeviceAttribute{StringValue: ptr.To(m.Name)}
			inventory.Devices = append(inventory.Devices, device)
		}
	}
	return inventory
}

// consumption is the use of a counter set by a device of these compatibility
// groups.
type consumption struct {
	set    string
	groups []string
}

// grouped returns a device with the name as an attribute that consumes one unit
// of counter sets.
func grouped(name string, consumptions ...consumption) resourceapi.Device {
	device := fixture.Devices(name).Devices[0]
	for _, c := range consumptions {
		device.ConsumesCounters = append(device.ConsumesCounters, resourceapi.DeviceCounterConsumption{
			CounterSet: c.set, CompatibilityGroups: c.groups, Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("1")}},
		})
	}
	return device
}

// counterSet returns a counter set with plenty of units.
func counterSet(name string) resourceapi.CounterSet {
	return resourceapi.CounterSet{Name: name, Counters: map[string]resourceapi.Counter{"units": {Value: resource.MustParse("100")}}}
}

// claimOf returns a claim for all devices of a meeting.
func (m meeting) claimOf(sim *simulated.Nodes) resourceapi.DeviceClaim {
	selector := fmt.Sprintf("device.attributes[%q].meeting == %q", sim.Driver, m.Name)
	return devices.NewDeviceClaim([]devices.Request{{Name: "all", Device: sim.Device(selector), Count: int64(len(m.Members) + 1)}})
}
