// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"cmp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/variant"
)

// arranged returns a slice with its devices in the order in which they are tried.
// It is the slice itself, unless a variant of the allocator has another order.
func arranged(slice *resourceapi.ResourceSlice) *resourceapi.ResourceSlice {
	if !variant.TakesLastDevices && !variant.PrefersLargeDevices {
		return slice
	}
	other := slice.DeepCopy()
	if variant.TakesLastDevices {
		slices.Reverse(other.Spec.Devices)
	}
	if variant.PrefersLargeDevices {
		slices.SortStableFunc(other.Spec.Devices, func(a, b resourceapi.Device) int { return cmp.Compare(size(b), size(a)) })
	}
	return other
}

// size returns the sum of what a device consumes of all counters and of what it
// has of each capacity, as an approximation.
func size(device resourceapi.Device) float64 {
	var total float64
	for _, consumption := range device.ConsumesCounters {
		for _, counter := range consumption.Counters {
			total += counter.Value.AsApproximateFloat64()
		}
	}
	for _, capacity := range device.Capacity {
		total += capacity.Value.AsApproximateFloat64()
	}
	return total
}

// compareNames returns the order of two names of pools or slices.
func compareNames(a, b string) int {
	if variant.TakesLastPools {
		return cmp.Compare(b, a)
	}
	return cmp.Compare(a, b)
}
