// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// snapshot is a state of the objects that a scheduler allocates from.
type snapshot struct {
	inventory *Inventory
	*setting
}

// checkClaim returns what is wrong with a claim's allocation if it was based on this
// snapshot. It does not compare the claim with other claims.
func (s snapshot) checkClaim(ctx context.Context, claim *resourceapi.ResourceClaim, by Scheduler) []finding {
	inv := s.inventory
	found := slices.Concat(
		inv.checkOffered(claim, by.UsesIncompletePools), s.checkTolerations(claim), inv.checkConsumedCapacities(claim),
		inv.checkNodes(claim, s.nodes), s.checkAllDevices(ctx, claim), s.checkConfiguration(claim), s.checkCopies(claim, by),
	)
	for _, t := range allocatedRequests(claim) {
		for _, id := range t.devices {
			found = append(found, inv.checkSelectors(ctx, SelectorAccepts, "selector of request "+t.Name, "request "+t.Name, t.Selectors, id)...)
			of := fmt.Sprintf("class %s of request %s", t.ClassName, t.Name)
			for _, f := range inv.checkSelectors(ctx, ClassAccepts, "selector of "+of, of, s.classes[t.ClassName].Spec.Selectors, id) {
				f.dependsOn = append(f.dependsOn, classNamed(t.ClassName))
				found = append(found, f)
			}
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		found = append(found, inv.checkConstraint(ctx, constraint, claim)...)
	}
	return found
}

// checkCombination returns what is wrong with the allocations of several claims in
// combination, of which fresh are new.
func (s snapshot) checkCombination(held holders, fresh map[string]*resourceapi.ResourceClaim, by Scheduler) []finding {
	found := append(s.inventory.checkCounters(held), s.inventory.checkCapacities(held)...)
	if by.SharingAffinity {
		found = append(found, s.inventory.checkAffinity(held)...)
	}
	if !by.IgnoresCompatibilityGroups {
		found = append(found, s.inventory.checkGroups(held, fresh)...)
	}
	return found
}

// classNamed returns the value for finding.dependsOn of a class. The prefix
// keeps it distinct from pools, which contain slashes.
func classNamed(name string) string { return "class " + name }

// ruleNamed returns the value for finding.dependsOn of a DeviceTaintRule.
func ruleNamed(name string) string { return "rule " + name }

// unknownPools is the value for finding.dependsOn of a pool without slices, which
// may have had some between two views.
const unknownPools = "pools without slices"

// checkOffered returns devices that must not be allocated because of the state of
// their pool.
func (inv *Inventory) checkOffered(claim *resourceapi.ResourceClaim, usesIncomplete bool) []finding {
	var found []finding
	for _, id := range Allocated(claim) {
		pool := id.pool()
		f := finding{about: id.String(), dependsOn: poolOfDevice(id)}
		switch _, offered := inv.devices[id]; {
		case !offered:
			if _, hasSlices := inv.missing[pool]; !hasSlices {
				f.dependsOn = append(f.dependsOn, unknownPools)
			}
			f.rule, f.text = DeviceOffered, fmt.Sprintf("device %s is in no slice of the newest generation of its pool", id)
		case inv.missing[pool] > 0 && !usesIncomplete:
			f.rule, f.text = PoolComplete, fmt.Sprintf("device %s is from pool %s with missing slices: %d", id, pool, inv.missing[pool])
		case inv.invalid[pool] != "":
			f.rule, f.text = PoolValid, fmt.Sprintf("device %s is from pool %s, which is invalid: %s", id, pool, inv.invalid[pool])
		default:
			continue
		}
		found = append(found, f)
	}
	return found
}

// checkTolerations returns devices with a taint that their request does not
// tolerate.
func (s snapshot) checkTolerations(claim *resourceapi.ResourceClaim) []finding {
	requests := requestsOf(claim)
	var found []finding
	for _, r := range results(claim) {
		id := idOf(r)
		request, known := requests[r.Request]
		if !known {
			continue
		}
		check := func(taints []resourceapi.DeviceTaint, of string, dependsOn ...string) {
			for _, taint := range rules.Untolerated(taints, request.Tolerations) {
				if mayTolerate(request.Tolerations, taint) {
					continue
				}
				found = append(found, finding{
					rule: TaintTolerated, about: id.String() + " " + taint.Key + of, dependsOn: append(poolOfDevice(id), dependsOn...),
					text: fmt.Sprintf("request %s has device %s with the taint %s=%s:%s%s, which it does not tolerate", r.Request, id, taint.Key, taint.Value, taint.Effect, of),
				})
			}
		}
		check(s.inventory.devices[id].Taints, "")
		for _, name := range slices.Sorted(maps.Keys(s.taintRules)) {
			if rule := s.taintRules[name]; rules.TaintedBy(&rule, id.Driver, id.Pool, id.Device) {
				check([]resourceapi.DeviceTaint{rule.Spec.Taint}, " of the DeviceTaintRule "+name, ruleNamed(name))
			}
		}
	}
	return found
}

// checkAdminAccess returns devices whose admin access differs from that of their
// request.
func checkAdminAccess(claim *resourceapi.ResourceClaim) []finding {
	requests := requestsOf(claim)
	var found []finding
	for _, r := range results(claim) {
		request, ok := requests[r.Request]
		if got := ptr.Deref(r.AdminAccess, false); ok && got != request.AdminAccess {
			text := fmt.Sprintf("request %s has device %s with admin access %t, not %t", r.Request, idOf(r), got, request.AdminAccess)
			found = append(found, finding{rule: AdminAsRequested, about: text, text: text})
		}
	}
	return found
}

// checkAllDevices returns requests with allocationMode All that lack matching
// devices on every node of the allocation.
func (s snapshot) checkAllDevices(ctx context.Context, claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	for _, t := range allocatedRequests(claim) {
		// Releases differ in which devices satisfy a request for capacity: up to
		// Kubernetes 1.36 only those with enough capacity that is not consumed.
		if !t.All() || len(t.Capacity) > 0 {
			continue
		}
		var missing []DeviceID
		for i := range s.nodes {
			if !Covers(claim.Status.Allocation, &s.nodes[i]) {
				continue
			}
			if missing = s.missing(ctx, t, &s.nodes[i]); len(missing) == 0 {
				break
			}
		}
		if len(missing) > 0 {
			found = append(found, finding{
				rule: RequestAll, about: t.Name, dependsOn: append(poolOfDevice(missing[0]), classNamed(t.ClassName)),
				text: fmt.Sprintf("request %s asks for all devices, but does not have %s, which matches it", t.Name, missing[0]),
			})
		}
	}
	return found
}

// missing returns the devices of a node that match a request with allocationMode
// All and are not allocated to it.
func (s snapshot) missing(ctx context.Context, t allocatedRequest, node *corev1.Node) []DeviceID {
	class, ok := s.classes[t.ClassName]
	if !ok {
		return nil
	}
	selectors := slices.Concat(class.Spec.Selectors, t.Selectors)
	var missing []DeviceID
	for id, device := range s.inventory.devices {
		if slices.Contains(t.devices, id) || len(s.inventory.NotOn(node, []DeviceID{id})) > 0 {
			continue
		}
		matches := !slices.ContainsFunc(selectors, func(s resourceapi.DeviceSelector) bool {
			ok, err := accepts(ctx, s, device.of(id.Driver))
			return err != nil || !ok
		})
		if matches {
			missing = append(missing, id)
		}
	}
	slices.SortFunc(missing, byName)
	return missing
}
