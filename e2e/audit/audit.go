// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package audit checks the allocations in a cluster against its ResourceSlices,
// independently of any allocator.
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

	"github.com/draconform/draconform/internal/rules"
)

// Allocated returns the devices of a claim's allocation in the order of its
// results. It returns none if the claim is not allocated.
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

// nameOf returns the namespace and name of an object.
func nameOf(o interface {
	GetNamespace() string
	GetName() string
}) string {
	return o.GetNamespace() + "/" + o.GetName()
}

// holder is a claim that a device, or a share of one, is allocated to.
// Allocations for admin access do not consume the device (KEP-5018), so that
// they are not holders.
type holder struct {
	claim  *resourceapi.ResourceClaim
	result resourceapi.DeviceRequestAllocationResult
}

// holders maps each held device to its holders, in the order of the claims.
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

// devices returns the held devices sorted by name.
func (h holders) devices() []DeviceID {
	return slices.SortedFunc(maps.Keys(h), byName)
}

func byName(a, b DeviceID) int { return cmp.Compare(a.String(), b.String()) }

// names returns the claims that hold a device. A claim is repeated for each of
// its results.
func (h holders) names(id DeviceID) []string {
	var names []string
	for _, holder := range h[id] {
		names = append(names, nameOf(holder.claim))
	}
	return names
}

// finding is a violation of a rule.
type finding struct {
	rule Rule
	// about identifies the violation. It is the same in all views.
	about string
	// causes are alternative sets of claims. The finding is a fault of the
	// scheduler only if all claims of one set are newly allocated.
	causes [][]string
	// dependsOn are the pools, classes and rules that the finding depends on.
	dependsOn []string
	text      string
}

// poolOfDevice returns the value of dependsOn for a finding about a device.
func poolOfDevice(id DeviceID) []string { return []string{id.pool().String()} }

func texts(all []finding) []string {
	var texts []string
	for _, f := range all {
		texts = append(texts, f.text)
	}
	return texts
}

// Check returns what is wrong with the allocations of a driver's devices: a
// device that is allocated twice, or an overdrawn counter. Devices with
// allowMultipleAllocations are not exclusive. Allocations for admin access do
// not consume anything (KEP-5018). A device that has been removed from its pool
// may stay allocated, so unknown devices are not reported. Unknown counters are
// not reported while their pool is being published.
func (inv *Inventory) Check(driver string, claims []resourceapi.ResourceClaim) []string {
	held := holdersOf(claims)
	maps.DeleteFunc(held, func(id DeviceID, _ []holder) bool { return id.Driver != driver })
	return append(inv.checkDevices(held), texts(inv.checkCounters(held))...)
}

// onlyShares reports whether all allocations of a device are shares.
func (h holders) onlyShares(id DeviceID) bool {
	return !slices.ContainsFunc(h[id], func(of holder) bool { return of.result.ShareID == nil })
}

func (inv *Inventory) checkDevices(held holders) []string {
	var problems []string
	for _, id := range held.devices() {
		// An allocated share remains a share when the slices are published
		// again without allowMultipleAllocations, which happens when the
		// feature is disabled.
		if names := held.names(id); len(names) > 1 && !inv.devices[id].shared() && !held.onlyShares(id) {
			problems = append(problems, fmt.Sprintf("device %s is allocated %d times: to %s", id, len(names), strings.Join(names, " and ")))
		}
	}
	return problems
}

// consumption is the consumption of a counter or a capacity by the held devices.
type consumption struct {
	sum    resource.Quantity
	by     []string
	causes [][]string
}

// checkCounters returns the counters that held devices overdraw. A device
// consumes its counters once, however many allocations share it.
func (inv *Inventory) checkCounters(held holders) []finding {
	consumed := map[counterID]*consumption{}
	for _, id := range held.devices() {
		device := inv.devices[id]
		for counter, amount := range rules.Consumption(&device.Device) {
			if amount.IsZero() {
				continue
			}
			cid := counterID{id.Driver, id.Pool, device.counters, counter}
			if consumed[cid] == nil {
				consumed[cid] = &consumption{}
			}
			// Sharing a device that is already held consumes nothing more.
			claims := held.names(id)
			consumed[cid].add(amount, id.Device+" of "+strings.Join(claims, ", "), claims)
		}
	}
	var found []finding
	for cid, d := range consumed {
		if text := inv.overdraft(cid, d); text != "" {
			found = append(found, finding{CountersSuffice, cid.String(), d.causes, []string{poolID{cid.driver, cid.pool}.String()}, text})
		}
	}
	slices.SortFunc(found, func(a, b finding) int { return cmp.Compare(a.text, b.text) })
	return found
}

func (d *consumption) add(value resource.Quantity, by string, causes []string) {
	d.sum.Add(value)
	d.by = append(d.by, value.String()+" by "+by)
	d.causes = append(d.causes, causes)
}

// overdraft describes how a counter is overdrawn. It returns an empty string if
// it is not.
func (inv *Inventory) overdraft(cid counterID, d *consumption) string {
	available, ok := inv.counters[cid]
	switch {
	case !ok && (inv.missing[poolID{cid.driver, cid.pool}] > 0 || inv.isUnknown(cid)):
		return ""
	case !ok:
		return fmt.Sprintf("%s is consumed (%s), but no slice has it", cid, strings.Join(d.by, "; "))
	case d.sum.Cmp(available) > 0:
		return fmt.Sprintf("%s is overdrawn: %s of %s are consumed (%s)", cid, d.sum.String(), available.String(), strings.Join(d.by, "; "))
	}
	return ""
}
