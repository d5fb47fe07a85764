// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/describe"
)

// Host is the part of a topology that belongs to one host.
type Host struct {
	// Inventory contains the devices that span the host. They consume the
	// host's own counters, one for each of its chips. These counters suffice:
	// if two blocks that both include chips of the host overlap, they also
	// overlap within the host.
	Inventory *describe.Inventory
	// Parts are the host's parts of these devices, by device name.
	Parts map[string]Part
	// Elsewhere maps the name of every other device to the numbers of the hosts
	// that it spans.
	Elsewhere map[string][]int
}

// Part is the part of a device that belongs to one host.
type Part struct {
	// Shape is the size of the device, for example "2x4".
	Shape string
	// Hosts are the numbers of all hosts that the device spans, ascending.
	Hosts []int
	// Chips are the positions of the device's chips on the host, row by row:
	// "2,4" is in row 2 and column 4 of the grid.
	Chips []string
}

// Host returns the part of the topology that belongs to the host with the given
// number.
func (t *Topology) Host(number int) *Host {
	set := fmt.Sprintf("host-%d", number)
	host := &Host{Inventory: &describe.Inventory{}, Parts: map[string]Part{}, Elsewhere: map[string][]int{}}
	all := map[string]resourceapi.Counter{}
	for _, s := range t.slices {
		device := t.device(s)
		if !slices.Contains(s.hosts, number) {
			host.Elsewhere[device.Name] = s.hosts
			continue
		}
		part := Part{Shape: s.shape.String(), Hosts: s.hosts}
		own := map[string]resourceapi.Counter{}
		for _, chip := range s.chips {
			if t.owner(chip) != number {
				continue
			}
			position := join(t.grid.at(chip), ",")
			part.Chips = append(part.Chips, position)
			counter := "tpu-at-" + strings.ReplaceAll(position, ",", "-")
			own[counter] = resourceapi.Counter{Value: *resource.NewQuantity(1, resource.DecimalSI)}
			all[counter] = own[counter]
		}
		device.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set, Counters: own}}
		host.Inventory.Devices = append(host.Inventory.Devices, device)
		host.Parts[device.Name] = part
	}
	host.Inventory.CounterSets = []resourceapi.CounterSet{{Name: set, Counters: all}}
	return host
}

// owner returns the number of the host that owns a chip.
func (t *Topology) owner(chip int) int { return owner(t.grid, t.perHost, t.grid.at(chip)) }

// owner returns the number of the host that owns the chip at a position.
func owner(grid, perHost extent, chip []int) int {
	host := make([]int, len(chip))
	for dimension := range chip {
		host[dimension] = chip[dimension] / perHost.size[dimension]
	}
	return grid.divided(perHost).index(host)
}
