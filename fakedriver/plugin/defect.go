// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/control"
)

// unknown is the name of a counter set and of a counter that do not exist.
const unknown = "unknown"

// addDefect adds a defect to a complete pool of generation 1.
func addDefect(pool []*resourceapi.ResourceSlice, defect control.Defect) ([]*resourceapi.ResourceSlice, error) {
	set, device := firstCounterSet(pool), lastDevice(pool)
	if device == nil {
		return nil, fmt.Errorf("%w: a pool without devices cannot have the defect %s", control.ErrInvalid, defect)
	}
	// The extra device is a copy of a valid device under the name
	// control.ObsoleteDevice, without counters.
	extra := device.DeepCopy()
	extra.Name, extra.ConsumesCounters = control.ObsoleteDevice, nil
	counter := map[string]resourceapi.Counter{unknown: {Value: *resource.NewQuantity(1, resource.DecimalSI)}}

	switch defect {
	case control.DuplicateDevice:
		extra.Name = device.Name
		return join(pool, resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{*extra}}), nil
	case control.DuplicateCounterSet:
		if set == nil {
			return nil, noCounters(defect)
		}
		return join(pool, resourceapi.ResourceSliceSpec{SharedCounters: []resourceapi.CounterSet{*set}}), nil
	case control.UnknownCounterSet:
		extra.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: unknown, Counters: counter}}
		return join(pool, resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{*extra}}), nil
	case control.UnknownCounter:
		if set == nil {
			return nil, noCounters(defect)
		}
		extra.ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: set.Name, Counters: counter}}
		return join(pool, resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{*extra}}), nil
	case control.MissingSlice:
		return join(pool, resourceapi.ResourceSliceSpec{})[:len(pool)], nil
	case control.OldGeneration:
		all := join(pool, resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{*extra}})
		for _, slice := range pool {
			slice.Spec.Pool.ResourceSliceCount = int64(len(pool))
		}
		all[len(pool)].Spec.Pool.Generation, all[len(pool)].Spec.Pool.ResourceSliceCount = 0, 1
		return all, nil
	default:
		return nil, fmt.Errorf("%w: defect %q is not known, use one of %v", control.ErrInvalid, defect, control.Defects())
	}
}

func noCounters(defect control.Defect) error {
	return fmt.Errorf("%w: a pool without counters cannot have the defect %s", control.ErrInvalid, defect)
}

// join appends a slice to a pool and updates the slice count of the pool.
func join(pool []*resourceapi.ResourceSlice, spec resourceapi.ResourceSliceSpec) []*resourceapi.ResourceSlice {
	last := pool[len(pool)-1]
	extra := last.DeepCopy()
	extra.Name = fmt.Sprintf("%05x%s", len(pool), last.Name[indexLength:])
	extra.Spec.Devices, extra.Spec.SharedCounters = spec.Devices, spec.SharedCounters
	all := append(slices.Clip(pool), extra)
	for _, slice := range all {
		slice.Spec.Pool.ResourceSliceCount = int64(len(all))
	}
	return all
}

// indexLength is the length of the index that the names of slices start with.
const indexLength = 5

func firstCounterSet(pool []*resourceapi.ResourceSlice) *resourceapi.CounterSet {
	for _, slice := range pool {
		if len(slice.Spec.SharedCounters) > 0 {
			return &slice.Spec.SharedCounters[0]
		}
	}
	return nil
}

func lastDevice(pool []*resourceapi.ResourceSlice) *resourceapi.Device {
	for _, slice := range slices.Backward(pool) {
		if devices := slice.Spec.Devices; len(devices) > 0 {
			return &devices[len(devices)-1]
		}
	}
	return nil
}
