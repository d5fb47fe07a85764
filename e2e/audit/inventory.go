// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// DeviceID identifies a device in a cluster.
type DeviceID struct{ Driver, Pool, Device string }

func (d DeviceID) String() string { return d.Driver + "/" + d.Pool + "/" + d.Device }

func (d DeviceID) pool() poolID { return poolID{d.Driver, d.Pool} }

// Inventory contains the devices and counters that the slices of a cluster
// offer.
type Inventory struct {
	devices  map[DeviceID]offer
	counters map[counterID]resource.Quantity
	// sets are the counter sets, by IDs without a counter. The value is false for a
	// set without counters: they are of an unknown kind.
	sets map[counterID]bool
	// missing is the number of slices that are missing from a pool's newest
	// generation. A pool with too many, for which it is negative, is not judged: the
	// API does not forbid to allocate from it, and kube-scheduler does if the slices
	// for a node are as many as the pool should have.
	missing map[poolID]int64
	// invalid is the reason why a pool must not be used for allocation.
	invalid map[poolID]string
}

// offer is a device with the data of its slice.
type offer struct {
	resourceapi.Device
	nodes rules.Nodes
	// counters is the name of the slice with the device's counter sets. It is
	// empty if they may be in any slice of the pool.
	counters string
	// skipNodeOperations are those of the slice.
	skipNodeOperations []resourceapi.SkipNodeOperation
	// affinity is the sharing affinity of the device, or why it is not known.
	affinity    rules.AffinityDeclaration
	affinityErr error
}

// of returns the device as one of a driver.
func (o offer) of(driver string) rules.Device { return rules.Device{Driver: driver, Device: &o.Device} }

type poolID struct{ driver, pool string }

func (p poolID) String() string { return p.driver + "/" + p.pool }

// counterID identifies a counter. Until Kubernetes 1.34 a slice has counters
// for its own devices. Since 1.35 counters are in separate slices and apply to
// the whole pool, and slice is empty.
type counterID struct {
	driver, pool, slice string
	rules.Counter
}

func (c counterID) String() string {
	return fmt.Sprintf("counter %s of counter set %s in pool %s/%s", c.Name, c.Set, c.driver, c.pool)
}

// NewInventory builds an Inventory from slices. Only the newest generation of
// each pool counts (API pool.generation).
func NewInventory(all []resourceapi.ResourceSlice) *Inventory {
	inv := &Inventory{
		devices: map[DeviceID]offer{}, counters: map[counterID]resource.Quantity{}, sets: map[counterID]bool{},
		missing: map[poolID]int64{}, invalid: map[poolID]string{},
	}
	for _, pool := range rules.Pools(pointersTo(all)) {
		inv.missing[poolID{pool.Driver, pool.Name}] = pool.Missing()
		for _, s := range pool.Slices {
			inv.readCounters(s)
		}
		for _, s := range pool.Slices {
			inv.readDevices(s)
		}
	}
	return inv
}

// poolOf returns the pool of a slice.
func poolOf(s *resourceapi.ResourceSlice) poolID { return poolID{s.Spec.Driver, s.Spec.Pool.Name} }

// countersIn returns the name of the slice that its counters are limited to, or
// an empty string if they apply to the whole pool.
func countersIn(s *resourceapi.ResourceSlice) string {
	if len(s.Spec.SharedCounters) > 0 && len(s.Spec.Devices) > 0 {
		return s.Name
	}
	return ""
}

func (inv *Inventory) readCounters(s *resourceapi.ResourceSlice) {
	pool := poolOf(s)
	for _, set := range s.Spec.SharedCounters {
		id := counterID{pool.driver, pool.pool, countersIn(s), rules.Counter{Set: set.Name}}
		if _, exists := inv.sets[id]; exists {
			inv.markInvalid(pool, "counter set %s exists twice", set.Name)
		}
		inv.sets[id] = len(set.Counters) > 0
		for name, c := range set.Counters {
			id.Name = name
			inv.counters[id] = c.Value
		}
	}
}

func (inv *Inventory) readDevices(s *resourceapi.ResourceSlice) {
	pool := poolOf(s)
	declared, err := rules.SharingAffinity(s)
	for _, d := range s.Spec.Devices {
		id := DeviceID{pool.driver, pool.pool, d.Name}
		nodes := rules.NodesOf(&s.Spec, &d)
		if other, twice := inv.devices[id]; twice && intersect(other.nodes, nodes) {
			inv.markInvalid(pool, "device %s exists twice", d.Name)
		}
		inv.devices[id] = offer{d, nodes, countersIn(s), s.Spec.SkipNodeOperations, declared[d.Name], err}
		if inv.missing[pool] == 0 {
			inv.findCounters(id)
		}
	}
}

// findCounters marks the pool of a device as invalid if the device consumes a
// counter that does not exist.
func (inv *Inventory) findCounters(id DeviceID) {
	device := inv.devices[id]
	for _, consumption := range device.ConsumesCounters {
		for _, name := range slices.Sorted(maps.Keys(consumption.Counters)) {
			counter := counterID{id.Driver, id.Pool, device.counters, rules.Counter{Set: consumption.CounterSet, Name: name}}
			if _, ok := inv.counters[counter]; !ok && !inv.isUnknown(counter) {
				inv.markInvalid(id.pool(), "device %s consumes counter %s of counter set %s, which no slice has", id.Device, name, consumption.CounterSet)
			}
		}
	}
}

// isUnknown reports whether the counter set of a counter has counters of an unknown
// kind.
func (inv *Inventory) isUnknown(counter counterID) bool {
	counter.Name = ""
	decoded, exists := inv.sets[counter]
	return exists && !decoded
}

// markInvalid marks a pool as invalid. It keeps the first reason.
func (inv *Inventory) markInvalid(pool poolID, format string, args ...any) {
	if inv.invalid[pool] == "" {
		inv.invalid[pool] = fmt.Sprintf(format, args...)
	}
}

// Device returns a device as described by its slice.
func (inv *Inventory) Device(id DeviceID) (resourceapi.Device, bool) {
	d, ok := inv.devices[id]
	return d.Device, ok
}

// shared reports whether a device allows multiple allocations (KEP-5075).
func (o offer) shared() bool { return ptr.Deref(o.AllowMultipleAllocations, false) }

// Attribute returns a string attribute of a device by its qualified name. A
// name without a domain belongs to the driver's domain.
func (inv *Inventory) Attribute(id DeviceID, name string) (string, bool) {
	attribute, ok := rules.Lookup(inv.devices[id].Attributes, id.Driver, name)
	if !ok || attribute.StringValue == nil {
		return "", false
	}
	return *attribute.StringValue, true
}
