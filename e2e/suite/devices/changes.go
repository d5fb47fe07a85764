// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/internal/rules"
)

// ExpectNewGenerations asserts that each pool of which several ResourceSlices were updated
// or created between two offers has another generation. The API demands it of each change,
// but the library with which drivers publish keeps the generation if a single update
// suffices, of which no consumer can see a part.
func ExpectNewGenerations(before, after Offer) {
	ginkgo.GinkgoHelper()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(after.Pools)) {
		was, is := before.Pools[name], after.Pools[name]
		if was == nil || was.Generation() != is.Generation() {
			continue
		}
		if n := changedSlices(was, is); n > 1 {
			errs = append(errs, fmt.Errorf("%d ResourceSlices of pool %s have changed, and its generation is still %d", n, name, is.Generation()))
		}
	}
	gomega.Expect(errors.Join(errs...)).NotTo(gomega.HaveOccurred(), "a pool of which several ResourceSlices change should have a new generation")
}

// changedSlices returns how many slices of a pool differ from those before or are new.
// Deleted ones do not count: without them, the pool is incomplete until the others are
// updated.
func changedSlices(before, after *rules.Pool) int {
	same := func(slice *resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(before.Slices, func(was *resourceapi.ResourceSlice) bool {
			return was.Name == slice.Name && equality.Semantic.DeepEqual(was.Spec, slice.Spec)
		})
	}
	return len(slices.DeleteFunc(slices.Clone(after.Slices), same))
}

// ExpectStillCharged asserts that no device is available that excluded allocated devices
// by counters before and does not exclude them now, although their claims are still
// allocated. A scheduler reads from ResourceSlices what an allocated device consumes, so
// that it consumes nothing if none has it.
func ExpectStillCharged(before, after Offer, allocated []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	var errs []error
	for _, id := range allocated {
		was, is := before.Pools[id.Pool], after.Pools[id.Pool]
		if was == nil || is == nil {
			continue
		}
		for _, other := range is.Devices() {
			name := id.Pool + "/" + other.Name
			if other.Name != id.Device && len(after.nodes[name]) > 0 && exclude(was, id.Device, other.Name) && !exclude(is, id.Device, other.Name) {
				errs = append(errs, fmt.Errorf("device %s is available on %v, and its counters are those of device %s", name, after.nodes[name], id))
			}
		}
	}
	gomega.Expect(errors.Join(errs...)).NotTo(gomega.HaveOccurred(), "the counters of allocated devices should stay consumed")
}

// exclude reports whether the counters of a pool do not suffice for two of its devices. A
// device that the pool does not have consumes nothing.
func exclude(pool *rules.Pool, names ...string) bool {
	var devices []*resourceapi.Device
	for _, device := range pool.Devices() {
		if slices.Contains(names, device.Name) {
			devices = append(devices, device)
		}
	}
	return len(rules.Overdrawn(countersOf(pool), devices)) > 0
}

// countersOf returns the counter sets of a pool.
func countersOf(pool *rules.Pool) iter.Seq[resourceapi.CounterSet] {
	return func(yield func(resourceapi.CounterSet) bool) {
		for _, slice := range pool.Slices {
			for _, set := range slice.Spec.SharedCounters {
				if !yield(set) {
					return
				}
			}
		}
	}
}
