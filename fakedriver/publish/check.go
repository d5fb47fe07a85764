// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"

	"github.com/draconform/draconform/fakedriver/describe"
)

// maxSize is the maximum size of the devices of a slice in bytes. etcd accepts
// requests of up to 1.5 MiB. The remainder is for metadata, which grows with
// managed fields.
const maxSize = 1 << 20

// maxConsumedCounters134 is the maximum number of counters that all devices of
// a slice may consume in Kubernetes 1.34,
// ResourceSliceMaxDeviceCountersPerSlice in its API types. The limits of 32
// counters per slice and of 32 consumed counters per device are satisfied
// because each slice has one counter set.
const maxConsumedCounters134 = 1024

// Check returns an error if the inventory exceeds a limit that more slices
// cannot avoid. The error contains the limit, the actual number and the device
// or the counter set.
func Check(inventory *describe.Inventory, form Form) error {
	if err := inventory.Validate(); err != nil {
		return err
	}
	for _, slice := range Slices(inventory, form) {
		if err := checkSize(slice); err != nil {
			return err
		}
		if form != CountersWithDevices {
			continue
		}
		for _, device := range slice.Devices {
			if len(device.ConsumesCounters) > 1 {
				return fmt.Errorf("device %q: consumes from %d counter sets, Kubernetes 1.34 requires all of them in one ResourceSlice", device.Name, len(device.ConsumesCounters))
			}
		}
		if len(slice.SharedCounters) > 0 {
			if err := checkSlice134(slice); err != nil {
				return fmt.Errorf("counter set %q: %w", slice.SharedCounters[0].Name, err)
			}
		}
	}
	return nil
}

// checkSize returns an error if a single device exceeds the size limit of a
// slice.
func checkSize(slice resourceslice.Slice) error {
	for _, device := range slice.Devices {
		if size := device.Size(); size > maxSize {
			return fmt.Errorf("device %q: has %d bytes, at most %d are allowed", device.Name, size, maxSize)
		}
	}
	return nil
}

// checkSlice134 checks a counter set with the devices that consume from it.
func checkSlice134(slice resourceslice.Slice) error {
	consumed, size := 0, 0
	for _, device := range slice.Devices {
		size += device.Size()
		for _, consumption := range device.ConsumesCounters {
			consumed += len(consumption.Counters)
		}
	}
	for _, limited := range []struct {
		number, limit int
		of            string
	}{
		{len(slice.Devices), resourceapi.ResourceSliceMaxDevices, "devices"},
		{consumed, maxConsumedCounters134, "counters that its devices consume"},
		{size, maxSize, "bytes of devices"},
	} {
		if limited.number > limited.limit {
			return fmt.Errorf("has %d %s, Kubernetes 1.34 allows at most %d", limited.number, limited.of, limited.limit)
		}
	}
	return nil
}
