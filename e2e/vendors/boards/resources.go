// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"
)

// boards and links are the numbers of each on a node.
const (
	boards = 2
	links  = 2
)

// A board has four cores, each with an equal part of its memory.
const (
	cores         = 4
	memoryPerCore = 4 << 30 // bytes
)

// partitions are the kinds of devices that a board is divided into, and how
// many cores each has. A whole board is one of them. The smallest are first: a
// request that several devices match gets the first one.
var partitions = []struct {
	kind  string
	cores int64
}{{"quarter", 1}, {"half", 2}, {"board", 4}}

// published returns the devices of a node: its boards with all partitions, and
// its links. Their counters are in the slice of the devices if together is set,
// and otherwise in a slice of their own.
func published(node string, together bool) resourceslice.DriverResources {
	var counters []resourceapi.CounterSet
	var devices []resourceapi.Device
	// Links come first: the scheduler of Kubernetes 1.34 compares the capacities of a
	// request for a shared device with those of the first device of the slice.
	for i := range links {
		link := fmt.Sprintf("link-%d", i)
		devices = append(devices, linkDevice(link, serial(node, link)))
	}
	for i := range boards {
		board := fmt.Sprintf("board-%d", i)
		counters = append(counters, resourceapi.CounterSet{Name: board, Counters: amounts(cores)})
		devices = append(devices, partitionsOf(board, serial(node, board))...)
	}
	slices := []resourceslice.Slice{{SharedCounters: counters}, {Devices: devices}}
	if together {
		slices = []resourceslice.Slice{{SharedCounters: counters, Devices: devices}}
	}
	return resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{node: {Slices: slices}}}
}

// partitionsOf returns the devices of a board. Partitions of one kind do not
// overlap. The attribute board names the board that a device is a part of.
func partitionsOf(board, serial string) []resourceapi.Device {
	var devices []resourceapi.Device
	for _, p := range partitions {
		for i := range cores / p.cores {
			name := board
			if p.cores < cores {
				name = fmt.Sprintf("%s-%s-%d", board, p.kind, i)
			}
			devices = append(devices, resourceapi.Device{
				Name: name,
				Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
					"kind":  {StringValue: ptr.To(p.kind)},
					"board": {StringValue: ptr.To(serial)},
				},
				Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
					"memory": {Value: *memory(p.cores)},
				},
				ConsumesCounters: []resourceapi.DeviceCounterConsumption{{CounterSet: board, Counters: amounts(p.cores)}},
			})
		}
	}
	return devices
}

// linkDevice returns a link with a bandwidth of which each claim gets a share.
func linkDevice(name, serial string) resourceapi.Device {
	return resourceapi.Device{
		Name: name,
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			"kind":   {StringValue: ptr.To("link")},
			"serial": {StringValue: ptr.To(serial)},
		},
		AllowMultipleAllocations: ptr.To(true),
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			"bandwidth": {
				Value: resource.MustParse("10G"),
				RequestPolicy: &resourceapi.CapacityRequestPolicy{
					Default:    ptr.To(resource.MustParse("1G")),
					ValidRange: &resourceapi.CapacityRequestPolicyRange{Min: ptr.To(resource.MustParse("1G")), Step: ptr.To(resource.MustParse("1G"))},
				},
			},
		},
	}
}

// amounts returns the counters of a number of cores.
func amounts(cores int64) map[string]resourceapi.Counter {
	return map[string]resourceapi.Counter{
		"cores":  {Value: *resource.NewQuantity(cores, resource.DecimalSI)},
		"memory": {Value: *memory(cores)},
	}
}

func memory(cores int64) *resource.Quantity {
	return resource.NewQuantity(cores*memoryPerCore, resource.BinarySI)
}

// serial returns a number that is unique for each board and link of a cluster,
// and the same after a restart.
func serial(node, name string) string {
	sum := sha256.Sum256([]byte(node + "/" + name))
	return hex.EncodeToString(sum[:8])
}
