// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// world is a state of the objects that a scheduler allocates from.
type world struct {
	inventory *Inventory
	classes   map[string]resourceapi.DeviceClass // by name
	nodes     []corev1.Node
}

// wrong returns what is wrong with a claim's allocation if it was based on this
// world. It does not compare the claim with other claims.
func (w world) wrong(ctx context.Context, claim *resourceapi.ResourceClaim, usesIncomplete bool) []finding {
	inv := w.inventory
	found := slices.Concat(
		inv.unoffered(claim, usesIncomplete), inv.untolerated(claim), inv.misjudgedCapacities(claim),
		inv.unreached(claim, w.nodes), w.incomplete(ctx, claim), w.misconfigured(claim),
	)
	for _, t := range takenOf(claim) {
		for _, id := range t.devices {
			found = append(found, inv.unselected(ctx, SelectorAccepts, "selector of request "+t.Name, "request "+t.Name, t.Selectors, id)...)
			of := fmt.Sprintf("class %s of request %s", t.ClassName, t.Name)
			for _, f := range inv.unselected(ctx, ClassAccepts, "selector of "+of, of, w.classes[t.ClassName].Spec.Selectors, id) {
				f.judgedBy = append(f.judgedBy, classNamed(t.ClassName))
				found = append(found, f)
			}
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		found = append(found, inv.broken(ctx, constraint, claim)...)
	}
	return found
}

// together returns what is wrong with the allocations of several claims in
// combination, of which fresh are new.
func (w world) together(held holders, fresh map[string]*resourceapi.ResourceClaim, by Scheduler) []finding {
	found := append(w.inventory.overdrawnCounters(held), w.inventory.overdrawnCapacities(held)...)
	if by.SharingAffinity {
		found = append(found, w.inventory.unequal(held)...)
	}
	if !by.IgnoresCompatibilityGroups {
		found = append(found, w.inventory.incompatible(held, fresh)...)
	}
	return found
}

// classNamed returns the value for finding.judgedBy of a class. The prefix
// keeps it distinct from pools, which contain slashes.
func classNamed(name string) string { return "class " + name }

// unoffered returns devices that must not be allocated because of the state of
// their pool.
func (inv *Inventory) unoffered(claim *resourceapi.ResourceClaim, usesIncomplete bool) []finding {
	var found []finding
	for _, id := range Allocated(claim) {
		pool := id.pool()
		f := finding{about: id.String(), judgedBy: poolOfDevice(id)}
		switch _, offered := inv.devices[id]; {
		case !offered:
			f.rule, f.text = DeviceOffered, fmt.Sprintf("device %s is offered by no slice of its pool's newest generation", id)
		case inv.missing[pool] > 0 && !usesIncomplete:
			f.rule, f.text = PoolComplete, fmt.Sprintf("device %s is from pool %s, which lacks %d of its slices", id, pool, inv.missing[pool])
		case inv.invalid[pool] != "":
			f.rule, f.text = PoolValid, fmt.Sprintf("device %s is from pool %s, which is invalid: %s", id, pool, inv.invalid[pool])
		default:
			continue
		}
		found = append(found, f)
	}
	return found
}

// untolerated returns devices with a taint that their request does not
// tolerate.
func (inv *Inventory) untolerated(claim *resourceapi.ResourceClaim) []finding {
	requests := askedOf(claim)
	var found []finding
	for _, r := range results(claim) {
		id := idOf(r)
		for _, taint := range rules.Untolerated(inv.devices[id].Taints, requests[r.Request].Tolerations) {
			found = append(found, finding{
				rule: TaintTolerated, about: id.String() + " " + taint.Key, judgedBy: poolOfDevice(id),
				text: fmt.Sprintf("request %s has device %s with the taint %s=%s:%s, which it does not tolerate", r.Request, id, taint.Key, taint.Value, taint.Effect),
			})
		}
	}
	return found
}

// misadmitted returns devices whose admin access differs from that of their
// request.
func misadmitted(claim *resourceapi.ResourceClaim) []finding {
	requests := askedOf(claim)
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

// incomplete returns requests with allocationMode All that lack matching
// devices on every node of the allocation.
func (w world) incomplete(ctx context.Context, claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	for _, t := range takenOf(claim) {
		// Releases differ in which devices satisfy a request for capacity: up to
		// Kubernetes 1.36 only those with enough capacity that is not consumed.
		if !t.All() || len(t.Capacity) > 0 {
			continue
		}
		var lacks []DeviceID
		for i := range w.nodes {
			if !Covers(claim.Status.Allocation, &w.nodes[i]) {
				continue
			}
			if lacks = w.lacks(ctx, t, &w.nodes[i]); len(lacks) == 0 {
				break
			}
		}
		if len(lacks) > 0 {
			found = append(found, finding{
				rule: RequestAll, about: t.Name, judgedBy: append(poolOfDevice(lacks[0]), classNamed(t.ClassName)),
				text: fmt.Sprintf("request %s asks for all devices, but does not have %s, which it matches", t.Name, lacks[0]),
			})
		}
	}
	return found
}

// lacks returns the devices of a node that match a request with allocationMode
// All and are not allocated to it.
func (w world) lacks(ctx context.Context, t taken, node *corev1.Node) []DeviceID {
	class, ok := w.classes[t.ClassName]
	if !ok {
		return nil
	}
	selectors := slices.Concat(class.Spec.Selectors, t.Selectors)
	var lacks []DeviceID
	for id, device := range w.inventory.devices {
		if slices.Contains(t.devices, id) || len(w.inventory.NotOn(node, []DeviceID{id})) > 0 {
			continue
		}
		matches := !slices.ContainsFunc(selectors, func(s resourceapi.DeviceSelector) bool {
			ok, err := accepts(ctx, s, device.of(id.Driver))
			return err != nil || !ok
		})
		if matches {
			lacks = append(lacks, id)
		}
	}
	slices.SortFunc(lacks, byName)
	return lacks
}
