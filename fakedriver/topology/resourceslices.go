// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/publish"
)

const (
	// maxSize is the number of bytes that etcd accepts by default, minus some
	// space for the metadata, which is stored in addition to the spec.
	maxSize = 1536*1024 - 16*1024

	// Limits of Kubernetes 1.34. Later releases do not have them.
	maxDevices134  = 128
	maxConsumed134 = 1024
)

// Slices distributes the pool over ResourceSlices, in the order in which the
// scheduler reads them. It returns an error that states which limit of the API
// the pool would exceed. It returns no slices for [publish.NoCounters], because
// a scheduler could then allocate devices that share chips.
func (p *Pool) Slices(form publish.Form) ([]resourceslice.Slice, error) {
	var out []resourceslice.Slice
	switch form {
	case publish.NoCounters:
		return nil, nil
	case publish.SeparateCounters:
		for sets := range slices.Chunk(p.CounterSets, resourceapi.ResourceSliceMaxCounterSets) {
			out = append(out, resourceslice.Slice{SharedCounters: sets})
		}
		for devices := range slices.Chunk(p.Devices, resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures) {
			out = append(out, resourceslice.Slice{Devices: devices})
		}
	case publish.CountersWithDevices:
		var err error
		if out, err = p.slicesPerCounterSet(); err != nil {
			return nil, err
		}
	}
	for i := range out {
		out[i].PerDeviceNodeSelection = ptr.To(true)
		spec := resourceapi.ResourceSliceSpec{SharedCounters: out[i].SharedCounters, Devices: out[i].Devices}
		if size := spec.Size(); size > maxSize {
			return nil, fmt.Errorf("slice %d of %d has %d bytes, etcd accepts %d: use shorter labels", i+1, len(out), size, maxSize)
		}
	}
	return out, nil
}

// slicesPerCounterSet returns one slice for each counter set, together with the
// devices that consume from it.
func (p *Pool) slicesPerCounterSet() ([]resourceslice.Slice, error) {
	out := make([]resourceslice.Slice, len(p.CounterSets))
	consumed := make([]int, len(p.CounterSets))
	index := map[string]int{}
	for i, set := range p.CounterSets {
		index[set.Name] = i
		out[i].SharedCounters = []resourceapi.CounterSet{set}
	}
	for _, device := range p.Devices {
		if sets := len(device.ConsumesCounters); sets > 1 {
			return nil, fmt.Errorf("device %s consumes from %d counter sets, Kubernetes 1.34 requires them in one slice and allows %d counters there",
				device.Name, sets, resourceapi.ResourceSliceMaxCountersPerCounterSet)
		}
		i := index[device.ConsumesCounters[0].CounterSet]
		out[i].Devices = append(out[i].Devices, device)
		consumed[i] += len(device.ConsumesCounters[0].Counters)
	}
	for i, slice := range out {
		if len(slice.Devices) > maxDevices134 {
			return nil, fmt.Errorf("%d devices consume from counter set %s, Kubernetes 1.34 requires them in one slice and allows %d there",
				len(slice.Devices), p.CounterSets[i].Name, maxDevices134)
		}
		if consumed[i] > maxConsumed134 {
			return nil, fmt.Errorf("devices consume %d counters from counter set %s, Kubernetes 1.34 allows %d in a slice",
				consumed[i], p.CounterSets[i].Name, maxConsumed134)
		}
	}
	return out, nil
}
