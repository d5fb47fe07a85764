// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// Partitions describes the partitions of this node: those that exist, and the
// numbers of those that were created and destroyed since the checkpoint was
// created.
type Partitions struct {
	// Created and Destroyed are cumulative counts. Their difference is the
	// number of partitions in Live.
	Created   int `json:"created"`
	Destroyed int `json:"destroyed"`
	// Live are the partitions that exist, sorted by name.
	Live []Partition `json:"live,omitempty"`
}

// Partition is a device that the driver carves out of another device when the
// first claim for it is prepared. It exists until the last such claim is
// unprepared.
type Partition struct {
	Device string `json:"device"`
	// Claims are the claims that use the partition, as <namespace>/<name>,
	// sorted.
	Claims []string `json:"claims"`
}

// Partitions returns the partitions of the node.
func (s *Store) Partitions() Partitions {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	out := Partitions{Created: s.prepared.Created, Destroyed: s.prepared.Destroyed}
	live := s.prepared.partitions()
	for _, device := range slices.Sorted(maps.Keys(live)) {
		claims := slices.Sorted(slices.Values(live[device]))
		out.Live = append(out.Live, Partition{Device: device, Claims: slices.Compact(claims)})
	}
	return out
}

// partitions returns the claims of each partition, by device name.
func (c checkpoint) partitions() map[string][]string {
	live := map[string][]string{}
	for _, claim := range c.Claims {
		for _, device := range claim.Devices {
			if device.Partition && !device.AdminAccess {
				live[device.Device.Device] = append(live[device.Device.Device], claim.String())
			}
		}
	}
	return live
}

// isPartition reports whether a device consumes only a part of a counter set. A
// device that consumes all of it is a whole device.
func (s *Store) isPartition(device *resourceapi.Device) bool {
	for _, consumption := range device.ConsumesCounters {
		for _, set := range s.devices.Inventory.CounterSets {
			if set.Name != consumption.CounterSet {
				continue
			}
			for name, counter := range set.Counters {
				if taken := consumption.Counters[name].Value; taken.Cmp(counter.Value) < 0 {
					return true
				}
			}
		}
	}
	return false
}
