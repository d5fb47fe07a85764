// Package audit checks what has been allocated in a cluster against what its
// ResourceSlices offer, independently of any allocator.
package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// DeviceID names a device in a cluster.
type DeviceID struct{ Driver, Pool, Device string }

func (d DeviceID) String() string { return d.Driver + "/" + d.Pool + "/" + d.Device }

// Allocated are the devices of a claim's allocation, in the order of its
// results; none if it is not allocated.
func Allocated(claim *resourceapi.ResourceClaim) []DeviceID {
	if claim.Status.Allocation == nil {
		return nil
	}
	var ids []DeviceID
	for _, r := range claim.Status.Allocation.Devices.Results {
		ids = append(ids, DeviceID{r.Driver, r.Pool, r.Device})
	}
	return ids
}

// Inventory is what the slices of a cluster offer.
type Inventory struct {
	devices  map[DeviceID]resourceapi.Device
	places   map[DeviceID]place
	counters map[counterID]resource.Quantity
	// missing is how many slices of a pool's newest generation are not there
	// (yet).
	missing map[poolID]int64
}

type poolID struct{ driver, pool string }

type counterID struct{ driver, pool, set, counter string }

func (c counterID) String() string {
	return fmt.Sprintf("counter %s of counter set %s in pool %s/%s", c.counter, c.set, c.driver, c.pool)
}

// NewInventory reads slices. Of each pool only the newest generation counts, as
// the API says of pool.generation.
func NewInventory(all []resourceapi.ResourceSlice) *Inventory {
	newest := map[poolID]int64{}
	for _, s := range all {
		id := poolID{s.Spec.Driver, s.Spec.Pool.Name}
		newest[id] = max(newest[id], s.Spec.Pool.Generation)
	}
	inv := &Inventory{
		devices: map[DeviceID]resourceapi.Device{}, places: map[DeviceID]place{},
		counters: map[counterID]resource.Quantity{}, missing: map[poolID]int64{},
	}
	for _, s := range all {
		id := poolID{s.Spec.Driver, s.Spec.Pool.Name}
		if s.Spec.Pool.Generation < newest[id] {
			continue
		}
		if _, ok := inv.missing[id]; !ok {
			inv.missing[id] = s.Spec.Pool.ResourceSliceCount
		}
		inv.missing[id]--
		for _, d := range s.Spec.Devices {
			id := DeviceID{s.Spec.Driver, s.Spec.Pool.Name, d.Name}
			inv.devices[id], inv.places[id] = d, placeOf(s.Spec, d)
		}
		for _, set := range s.Spec.SharedCounters {
			for name, c := range set.Counters {
				inv.counters[counterID{s.Spec.Driver, s.Spec.Pool.Name, set.Name, name}] = c.Value
			}
		}
	}
	return inv
}

// Device returns a device as its slice describes it.
func (inv *Inventory) Device(id DeviceID) (resourceapi.Device, bool) {
	d, ok := inv.devices[id]
	return d, ok
}

// Attribute returns a string attribute of a device by its qualified name. A name
// without a domain is in the driver's, as the API says of attributes.
func (inv *Inventory) Attribute(id DeviceID, name string) (string, bool) {
	attribute, ok := inv.attribute(id, name)
	if !ok || attribute.StringValue == nil {
		return "", false
	}
	return *attribute.StringValue, true
}

// attribute looks an attribute up as it is written, and with or without the
// driver's domain, which means the same.
func (inv *Inventory) attribute(id DeviceID, name string) (resourceapi.DeviceAttribute, bool) {
	attributes := inv.devices[id].Attributes
	if attribute, ok := attributes[resourceapi.QualifiedName(name)]; ok {
		return attribute, true
	}
	other, qualified := strings.CutPrefix(name, id.Driver+"/")
	if !qualified {
		other = id.Driver + "/" + name
	}
	attribute, ok := attributes[resourceapi.QualifiedName(other)]
	return attribute, ok
}

// Check returns what is wrong with the allocations of a driver's devices: a
// device that is given twice, or a counter that is overdrawn. Devices that
// several allocations may share are not exclusive, and what is allocated for
// admin access takes nothing away (KEP-5018). A device that has left its pool
// may stay allocated, so it is no problem that it is unknown; nor is a counter
// that is unknown while its pool is being published.
func (inv *Inventory) Check(driver string, claims []resourceapi.ResourceClaim) []string {
	holders := map[DeviceID][]string{}
	for i := range claims {
		if claims[i].Status.Allocation == nil {
			continue
		}
		name := claims[i].Namespace + "/" + claims[i].Name
		for _, r := range claims[i].Status.Allocation.Devices.Results {
			if r.Driver != driver || r.AdminAccess != nil && *r.AdminAccess {
				continue
			}
			id := DeviceID{r.Driver, r.Pool, r.Device}
			holders[id] = append(holders[id], name)
		}
	}
	ids := slices.SortedFunc(maps.Keys(holders), func(a, b DeviceID) int { return strings.Compare(a.String(), b.String()) })
	return append(inv.checkDevices(ids, holders), inv.checkCounters(ids, holders)...)
}

func (inv *Inventory) checkDevices(ids []DeviceID, holders map[DeviceID][]string) []string {
	var problems []string
	for _, id := range ids {
		shared := inv.devices[id].AllowMultipleAllocations
		if len(holders[id]) > 1 && (shared == nil || !*shared) {
			problems = append(problems, fmt.Sprintf("device %s is allocated %d times: to %s", id, len(holders[id]), strings.Join(holders[id], " and ")))
		}
	}
	return problems
}

// checkCounters adds up what allocated devices consume. A device consumes once,
// however many allocations share it.
func (inv *Inventory) checkCounters(ids []DeviceID, holders map[DeviceID][]string) []string {
	consumed := map[counterID]*resource.Quantity{}
	consumers := map[counterID][]string{}
	for _, id := range ids {
		for _, c := range inv.devices[id].ConsumesCounters {
			for name, counter := range c.Counters {
				if counter.Value.IsZero() {
					continue
				}
				cid := counterID{id.Driver, id.Pool, c.CounterSet, name}
				if consumed[cid] == nil {
					consumed[cid] = &resource.Quantity{}
				}
				consumed[cid].Add(counter.Value)
				consumers[cid] = append(consumers[cid], fmt.Sprintf("%s by %s of %s", counter.Value.String(), id.Device, strings.Join(holders[id], ", ")))
			}
		}
	}
	var problems []string
	for cid, sum := range consumed {
		available, ok := inv.counters[cid]
		switch {
		case !ok && inv.missing[poolID{cid.driver, cid.pool}] > 0:
		case !ok:
			problems = append(problems, fmt.Sprintf("%s is consumed (%s), but no slice has it", cid, strings.Join(consumers[cid], "; ")))
		case sum.Cmp(available) > 0:
			problems = append(problems, fmt.Sprintf("%s is overdrawn: %s of %s are consumed (%s)", cid, sum, available.String(), strings.Join(consumers[cid], "; ")))
		}
	}
	slices.Sort(problems)
	return problems
}
