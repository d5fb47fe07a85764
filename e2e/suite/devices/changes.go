// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devices

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/internal/rules"
)

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

// HasBeside reports whether the driver offers a device of so many nodes that can be allocated
// in addition to an allocated one, as far as counters decide that.
func (o Offer) HasBeside(allocated audit.DeviceID, nodes int) bool {
	for name, pool := range o.Pools {
		for _, device := range pool.Devices() {
			same := name == allocated.Pool && (device.Name == allocated.Device || exclude(pool, allocated.Device, device.Name))
			if !same && len(o.nodes[name+"/"+device.Name]) == nodes {
				return true
			}
		}
	}
	return false
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
