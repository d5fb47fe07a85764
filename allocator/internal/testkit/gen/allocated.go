// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// earlierSteps bounds the search for an allocation that exists before the drawn
// claims. Claims that need more steps are left out.
const earlierSteps = 300

// allocated draws claims and allocates them in sequence, each on one of the
// nodes, as a scheduler would.
func (d *draw) allocated() {
	if d.chance("nothing allocated", d.affine(40, 20)) {
		return
	}
	features := problem.Features(problem.AllFeatures)
	for i := range d.number("earlier claims", 1, d.size(3, 2, 3)) {
		claims := d.claims(fmt.Sprintf("earlier-%d", i), 1)
		node := pick(d, "node of earlier claim", d.p.Nodes...)
		earlier := *d.p
		earlier.Features, earlier.Claims = &features, claims
		if d.config.Affinity && d.chance("last devices", 60) {
			earlier.Slices = reversed(d.p.Slices)
		}
		outcome := diff.Run(diff.WithStepLimit(context.Background(), earlierSteps), diff.Experimental, &earlier, node)
		if outcome.Class != diff.Fit {
			continue
		}
		claims[0].Status.Allocation = &outcome.Results[0]
		for j := range outcome.Results[0].Devices.Results {
			// Share IDs are the same in each run, so that a failing problem can
			// be reproduced.
			if result := &outcome.Results[0].Devices.Results[j]; result.ShareID != nil {
				result.ShareID = ptr.To(types.UID(fmt.Sprintf("00000000-0000-0000-%04d-%012d", i, j)))
			}
		}
		claims[0].Spec = resourceapi.ResourceClaimSpec{}
		d.p.Allocated = append(d.p.Allocated, claims[0])
	}
}

// reversed returns the slices with their devices in reverse order. Allocating
// from them leaves free the devices that come before the allocated ones.
func reversed(list []*resourceapi.ResourceSlice) []*resourceapi.ResourceSlice {
	var all []*resourceapi.ResourceSlice
	for _, slice := range list {
		slice = slice.DeepCopy()
		slices.Reverse(slice.Spec.Devices)
		all = append(all, slice)
	}
	return all
}

// accidents changes the pools after devices were allocated from them.
func (d *draw) accidents() {
	for _, slice := range d.p.Slices {
		if d.topic.odd && len(slice.Spec.Devices) > 1 && d.chance("change a device", 30) {
			d.change(slice)
		}
	}
	if d.topic.generations {
		d.generations()
	}
	if d.topic.broken && d.chance("break a pool", 60) {
		d.breakPool(pick(d, "broken slice", d.p.Slices...))
	}
}

// change draws a change that a driver may make to a device that is in use.
func (d *draw) change(slice *resourceapi.ResourceSlice) {
	i := d.number("changed device", 0, len(slice.Spec.Devices)-1)
	device := &slice.Spec.Devices[i]
	switch pick(d, "change", "remove", "share", "grow", "shrink") {
	case "remove":
		slice.Spec.Devices = append(slice.Spec.Devices[:i], slice.Spec.Devices[i+1:]...)
	case "share":
		device.AllowMultipleAllocations = ptr.To(!ptr.Deref(device.AllowMultipleAllocations, false))
	case "grow":
		for _, consumption := range device.ConsumesCounters {
			for name, counter := range consumption.Counters {
				counter.Value.Add(counter.Value)
				consumption.Counters[name] = counter
			}
		}
	case "shrink":
		for name, capacity := range device.Capacity {
			if capacity.RequestPolicy == nil {
				capacity.Value.Set(1)
				device.Capacity[name] = capacity
			}
		}
	}
}

// generations changes the generation of one slice of a pool, or adds a copy of
// the slice with another generation.
func (d *draw) generations() {
	slice := pick(d, "slice of another generation", d.p.Slices...)
	if d.chance("copy", 60) {
		slice = slice.DeepCopy()
		slice.Name += "-copy"
		slice.Spec.NodeName, slice.Spec.AllNodes, slice.Spec.NodeSelector = nil, nil, nil
		if slice.Spec.PerDeviceNodeSelection == nil {
			d.place()(&slice.Spec.NodeName, &slice.Spec.AllNodes, &slice.Spec.NodeSelector)
		}
		d.p.Slices = append(d.p.Slices, slice)
	}
	slice.Spec.Pool.Generation = int64(d.number("other generation", 0, 3))
	if d.chance("is complete", 50) {
		slice.Spec.Pool.ResourceSliceCount = 1
	}
}

// breakPool draws an error that is detectable only with all slices of the pool.
func (d *draw) breakPool(slice *resourceapi.ResourceSlice) {
	kind := pick(d, "break", "missing slice", "device twice", "no counter set", "no counter", "counter set twice")
	if kind == "missing slice" || len(slice.Spec.Devices) == 0 && kind != "counter set twice" {
		// All slices of the pool have the same count, so that the pool is
		// incomplete and consistent.
		for _, other := range d.p.Slices {
			if other.Spec.Driver == slice.Spec.Driver && other.Spec.Pool.Name == slice.Spec.Pool.Name {
				other.Spec.Pool.ResourceSliceCount++
			}
		}
		return
	}
	switch kind {
	case "counter set twice":
		slice.Spec.SharedCounters = append(slice.Spec.SharedCounters, slice.Spec.SharedCounters...)
	case "device twice":
		slice.Spec.Devices = append(slice.Spec.Devices, *slice.Spec.Devices[0].DeepCopy())
	default:
		for i := range slice.Spec.Devices[0].ConsumesCounters {
			consumption := &slice.Spec.Devices[0].ConsumesCounters[i]
			if kind == "no counter set" {
				consumption.CounterSet = "missing"
				continue
			}
			consumption.Counters["missing"] = consumption.Counters["memory"]
		}
	}
}
