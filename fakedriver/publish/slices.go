// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/internal/rules"
	"github.com/draconform/draconform/internal/variant"
)

// Slices lays out an inventory as slices. The order of the slices is the order
// in which the scheduler considers them. Check reports content that does not
// fit.
func Slices(inventory *describe.Inventory, form Form) []resourceslice.Slice {
	switch form {
	case CountersWithDevices:
		return slicesPerCounterSet(inventory)
	case NoCounters:
		return deviceSlices(inventory.WithoutCounters().Devices)
	default:
		var out []resourceslice.Slice
		for sets := range slices.Chunk(inventory.CounterSets, resourceapi.ResourceSliceMaxCounterSets) {
			out = append(out, resourceslice.Slice{SharedCounters: sets})
		}
		return append(out, deviceSlices(inventory.Devices)...)
	}
}

// deviceSlices fills slices up to their limits, one after the other.
func deviceSlices(devices []resourceapi.Device) []resourceslice.Slice {
	var out []resourceslice.Slice
	for len(devices) > 0 {
		n := fitting(devices)
		out = append(out, resourceslice.Slice{Devices: devices[:n:n]})
		devices = devices[n:]
	}
	return out
}

// fitting returns how many of the devices fit into one slice. The result is at
// least one.
func fitting(devices []resourceapi.Device) int {
	limit, size := resourceapi.ResourceSliceMaxDevices, 0
	for i := range devices {
		if rules.IsAdvanced(devices[i]) {
			limit = resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures
		}
		if variant.SplitsSlices {
			limit = 5
		}
		size += devices[i].Size()
		if i > 0 && (i >= limit || size > maxSize) {
			return i
		}
	}
	return len(devices)
}

// slicesPerCounterSet returns one slice for each counter set with the devices
// that consume from it, and further slices for devices that consume no
// counters. Kubernetes 1.34 allows 32 counters and 128 devices in a slice. This
// is sufficient for one GPU and insufficient for several.
func slicesPerCounterSet(inventory *describe.Inventory) []resourceslice.Slice {
	bySet := map[string][]resourceapi.Device{}
	var others []resourceapi.Device
	for _, device := range inventory.Devices {
		if len(device.ConsumesCounters) == 0 {
			others = append(others, device)
			continue
		}
		set := device.ConsumesCounters[0].CounterSet
		bySet[set] = append(bySet[set], device)
	}
	var out []resourceslice.Slice
	for _, set := range inventory.CounterSets {
		out = append(out, resourceslice.Slice{SharedCounters: []resourceapi.CounterSet{set}, Devices: bySet[set.Name]})
	}
	return append(out, deviceSlices(others)...)
}

// PoolName returns the name of a node's pool, which is the name of the node.
func PoolName(node string) string {
	if variant.NamesPoolsOtherwise {
		return "devices-of-" + node
	}
	return node
}

// NodeObjects returns the slices of a node as API objects. They form the complete
// pool of the node.
func NodeObjects(driver, node string, layout []resourceslice.Slice) []*resourceapi.ResourceSlice {
	out := Objects(driver, PoolName(node), layout)
	for _, slice := range out {
		slice.Spec.NodeName = &node
	}
	return out
}

// Objects returns the slices of a pool as API objects. They form a complete
// pool.
func Objects(driver, pool string, layout []resourceslice.Slice) []*resourceapi.ResourceSlice {
	var out []*resourceapi.ResourceSlice
	for i, slice := range layout {
		out = append(out, &resourceapi.ResourceSlice{
			TypeMeta: metav1.TypeMeta{
				APIVersion: resourceapi.SchemeGroupVersion.String(),
				Kind:       "ResourceSlice",
			},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%05x-%s-%s", i, driver, pool)},
			Spec: resourceapi.ResourceSliceSpec{
				Driver:                 driver,
				Pool:                   resourceapi.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: int64(len(layout))},
				PerDeviceNodeSelection: slice.PerDeviceNodeSelection,
				SharedCounters:         slice.SharedCounters,
				Devices:                slice.Devices,
			},
		})
	}
	return out
}
