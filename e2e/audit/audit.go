// Package audit checks what has been allocated in a cluster against what its
// ResourceSlices offer, independently of any allocator.
package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// Allocated are the devices of a claim's allocation, in the order of its
// results; none if it is not allocated.
func Allocated(claim *resourceapi.ResourceClaim) []DeviceID {
	var ids []DeviceID
	for _, r := range results(claim) {
		ids = append(ids, idOf(r))
	}
	return ids
}

func results(claim *resourceapi.ResourceClaim) []resourceapi.DeviceRequestAllocationResult {
	if claim.Status.Allocation == nil {
		return nil
	}
	return claim.Status.Allocation.Devices.Results
}

func idOf(r resourceapi.DeviceRequestAllocationResult) DeviceID {
	return DeviceID{r.Driver, r.Pool, r.Device}
}

// nameOf is a claim's, or another object's, name with its namespace.
func nameOf(o interface {
	GetNamespace() string
	GetName() string
}) string {
	return o.GetNamespace() + "/" + o.GetName()
}

// holder is a claim that has a device for itself or shares it. What is allocated
// for admin access takes nothing away (KEP-5018), so that it holds nothing.
type holder struct {
	claim  *resourceapi.ResourceClaim
	result resourceapi.DeviceRequestAllocationResult
}

// holders are the devices that are held, with who holds them in the order of
// the claims.
type holders map[DeviceID][]holder

func holdersOf(claims []resourceapi.ResourceClaim) holders {
	all := holders{}
	for i := range claims {
		for _, r := range results(&claims[i]) {
			if !ptr.Deref(r.AdminAccess, false) {
				all[idOf(r)] = append(all[idOf(r)], holder{&claims[i], r})
			}
		}
	}
	return all
}

// devices are those that are held, in the order of their names.
func (h holders) devices() []DeviceID {
	return slices.SortedFunc(maps.Keys(h), byName)
}

func byName(a, b DeviceID) int { return cmp.Compare(a.String(), b.String()) }

// names are the claims that hold a device; one is named as often as it does.
func (h holders) names(id DeviceID) []string {
	var names []string
	for _, holder := range h[id] {
		names = append(names, nameOf(holder.claim))
	}
	return names
}

// finding is something that is wrong.
type finding struct {
	rule Rule
	// about is what is wrong, by name; the same in all looks at it.
	about string
	// blamed are claims of which some must be new, all of one element, for it to
	// be anybody's fault.
	blamed [][]string
	// judgedBy are the pools and classes that it is judged by.
	judgedBy []string
	text     string
}

// poolOfDevice is what a finding about a device is judged by.
func poolOfDevice(id DeviceID) []string { return []string{id.pool().String()} }

func texts(all []finding) []string {
	var texts []string
	for _, f := range all {
		texts = append(texts, f.text)
	}
	return texts
}

// Check returns what is wrong with the allocations of a driver's devices: a
// device that is given twice, or a counter that is overdrawn. Devices that
// several allocations may share are not exclusive, and what is allocated for
// admin access takes nothing away (KEP-5018). A device that has left its pool
// may stay allocated, so it is no problem that it is unknown; nor is a counter
// that is unknown while its pool is being published.
func (inv *Inventory) Check(driver string, claims []resourceapi.ResourceClaim) []string {
	held := holdersOf(claims)
	maps.DeleteFunc(held, func(id DeviceID, _ []holder) bool { return id.Driver != driver })
	return append(inv.checkDevices(held), texts(inv.overdrawnCounters(held))...)
}

// onlyShares tells whether all that is held of a device are shares.
func (h holders) onlyShares(id DeviceID) bool {
	return !slices.ContainsFunc(h[id], func(of holder) bool { return of.result.ShareID == nil })
}

func (inv *Inventory) checkDevices(held holders) []string {
	var problems []string
	for _, id := range held.devices() {
		// What was given as a share stays one when slices are published again without
		// the field, as they are where the feature is off.
		if names := held.names(id); len(names) > 1 && !inv.devices[id].shared() && !held.onlyShares(id) {
			problems = append(problems, fmt.Sprintf("device %s is allocated %d times: to %s", id, len(names), strings.Join(names, " and ")))
		}
	}
	return problems
}

// draw is what the held devices consume of a counter.
type draw struct {
	sum    resource.Quantity
	by     []string
	blamed [][]string
}

// overdrawnCounters adds up what held devices consume. A device consumes once,
// however many allocations share it.
func (inv *Inventory) overdrawnCounters(held holders) []finding {
	consumed := map[counterID]*draw{}
	for _, id := range held.devices() {
		device := inv.devices[id]
		for _, c := range device.ConsumesCounters {
			for name, counter := range c.Counters {
				if counter.Value.IsZero() {
					continue
				}
				cid := counterID{id.Driver, id.Pool, device.counters, c.CounterSet, name}
				if consumed[cid] == nil {
					consumed[cid] = &draw{}
				}
				consumed[cid].add(counter.Value, id, held.names(id))
			}
		}
	}
	var found []finding
	for cid, d := range consumed {
		if text := inv.overdraft(cid, d); text != "" {
			found = append(found, finding{CountersSuffice, cid.String(), d.blamed, []string{poolID{cid.driver, cid.pool}.String()}, text})
		}
	}
	slices.SortFunc(found, func(a, b finding) int { return cmp.Compare(a.text, b.text) })
	return found
}

func (d *draw) add(value resource.Quantity, id DeviceID, claims []string) {
	d.sum.Add(value)
	d.by = append(d.by, fmt.Sprintf("%s by %s of %s", value.String(), id.Device, strings.Join(claims, ", ")))
	// Who joins a device that is held anyway consumes nothing more.
	d.blamed = append(d.blamed, claims)
}

// overdraft says how a counter is overdrawn, if it is.
func (inv *Inventory) overdraft(cid counterID, d *draw) string {
	available, ok := inv.counters[cid]
	switch {
	case !ok && inv.missing[poolID{cid.driver, cid.pool}] > 0:
		return ""
	case !ok:
		return fmt.Sprintf("%s is consumed (%s), but no slice has it", cid, strings.Join(d.by, "; "))
	case d.sum.Cmp(available) > 0:
		return fmt.Sprintf("%s is overdrawn: %s of %s are consumed (%s)", cid, d.sum.String(), available.String(), strings.Join(d.by, "; "))
	}
	return ""
}
