package audit

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"
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
			found = append(found, inv.unselected(ctx, SelectorAccepts, "selector of request "+t.name, "request "+t.name, t.selectors, id)...)
			of := fmt.Sprintf("class %s of request %s", t.class, t.name)
			for _, f := range inv.unselected(ctx, ClassAccepts, "selector of "+of, of, w.classes[t.class].Spec.Selectors, id) {
				f.judgedBy = append(f.judgedBy, classNamed(t.class))
				found = append(found, f)
			}
		}
	}
	for _, constraint := range claim.Spec.Devices.Constraints {
		found = append(found, inv.broken(constraint, claim)...)
	}
	return found
}

// together returns what is wrong with the allocations of several claims in
// combination.
func (w world) together(held holders, affinity bool) []finding {
	found := append(w.inventory.overdrawnCounters(held), w.inventory.overdrawnCapacities(held)...)
	if affinity {
		found = append(found, w.inventory.unequal(held)...)
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
		for _, taint := range inv.devices[id].Taints {
			blocks := taint.Effect == resourceapi.DeviceTaintEffectNoSchedule || taint.Effect == resourceapi.DeviceTaintEffectNoExecute
			tolerated := slices.ContainsFunc(requests[r.Request].tolerations, func(t resourceapi.DeviceToleration) bool {
				return resourceclaim.ToleratesTaint(t, taint)
			})
			if blocks && !tolerated {
				found = append(found, finding{
					rule: TaintTolerated, about: id.String() + " " + taint.Key, judgedBy: poolOfDevice(id),
					text: fmt.Sprintf("request %s has device %s with the taint %s=%s:%s, which it does not tolerate", r.Request, id, taint.Key, taint.Value, taint.Effect),
				})
			}
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
		if got := ptr.Deref(r.AdminAccess, false); ok && got != request.admin {
			text := fmt.Sprintf("request %s has device %s with admin access %t, not %t", r.Request, idOf(r), got, request.admin)
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
		// Which devices satisfy a request for capacity is decided by the
		// scheduler.
		if !t.all || t.capacity != nil {
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
				rule: RequestAll, about: t.name, judgedBy: append(poolOfDevice(lacks[0]), classNamed(t.class)),
				text: fmt.Sprintf("request %s asks for all devices, but does not have %s, which it matches", t.name, lacks[0]),
			})
		}
	}
	return found
}

// lacks returns the devices of a node that match a request with allocationMode
// All and are not allocated to it.
func (w world) lacks(ctx context.Context, t taken, node *corev1.Node) []DeviceID {
	class, ok := w.classes[t.class]
	if !ok {
		return nil
	}
	selectors := slices.Concat(class.Spec.Selectors, t.selectors)
	var lacks []DeviceID
	for id, device := range w.inventory.devices {
		if slices.Contains(t.devices, id) || len(w.inventory.NotOn(node, []DeviceID{id})) > 0 {
			continue
		}
		matches := !slices.ContainsFunc(selectors, func(s resourceapi.DeviceSelector) bool {
			ok, err := accepts(ctx, s, id, device.Device)
			return err != nil || !ok
		})
		if matches {
			lacks = append(lacks, id)
		}
	}
	slices.SortFunc(lacks, byName)
	return lacks
}
