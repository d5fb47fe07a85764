// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Auditor reads a cluster periodically and reports rules that are broken.
//
// It does not raise an alarm for what it observes late or early itself. Read
// lists one kind of object after the other, so later lists are at least as new:
//   - An allocation is compared with slices, classes and nodes that were read after
//     it. These may be newer than those which the scheduler knew. It is therefore
//     wrong only if it is wrong by all states since Lag before the last view that did
//     not contain it. If a state may have been missed, such as when two slices of a
//     pool changed between two views, the rules of the pool are suspended until Lag
//     has passed.
//   - A pod uses a claim, in the state that was read, if it ran both in the previous
//     view and in this one, because pods are read last and never start again.
//   - Claims are compared with each other in one state of all of them. A view may
//     contain the states since the previous one (see Follower), so that changes
//     between two views are not missed.
//   - If no state of the slices was missed, the scheduler must have observed a device
//     to allocate it: states without the device do not excuse an allocation.
//   - Allocations from before the first view are not compared with slices. The nodes
//     of pods that existed before are not checked either, because the labels that
//     these nodes had then are unknown.
//
// An Auditor must be used by one goroutine only.
type Auditor struct {
	config Config
	// observations are the views since Lag before the last one.
	observations []observation
	last         *View
	// first is the inventory of the first view. Earlier states are unknown.
	first *Inventory
	// podsAtStart are the pods that were on a node at the first view.
	podsAtStart map[types.UID]bool
	// others are claims that have had devices of other drivers.
	others map[types.UID]bool
	// uses are the uses of claims that were certain in the last view.
	uses     map[use]*resourceapi.AllocationResult
	reported map[Alarm]bool
}

// New returns an Auditor without any views.
func New(c Config) *Auditor {
	if c.Lag == 0 {
		c.Lag = DefaultLag
	}
	return &Auditor{config: c, others: map[types.UID]bool{}, reported: map[Alarm]bool{}}
}

// AllocatedBy sets the scheduler that makes the allocations which first appear
// in the following views.
func (a *Auditor) AllocatedBy(s Scheduler) { a.config.Scheduler = s }

// Audit returns the alarms about a view, or about the time since the previous
// one, that were not returned before. Views must be passed in the order in
// which they were read.
func (a *Auditor) Audit(ctx context.Context, v View) []Alarm {
	a.addView(v)
	for i := range v.Claims {
		if c := &v.Claims[i]; !hasOnly(c, a.config.Drivers) {
			a.others[c.UID] = true
		}
	}
	found := a.check(ctx, v)
	if a.last != nil && v.late != nil && len(a.unreported(found)) > 0 {
		v = v.late(ctx)
		a.addLateStates(v)
		found = a.check(ctx, v)
	}
	if a.last == nil {
		a.podsAtStart = onNodes(v)
	}
	a.uses = a.currentUses(v)
	a.last = &v
	alarms := a.unreported(found)
	for _, alarm := range alarms {
		a.reported[alarm] = true
	}
	return alarms
}

// check returns the findings of a view that was added.
func (a *Auditor) check(ctx context.Context, v View) []finding {
	if v.Classic != nil {
		return a.checkClassic(v)
	}
	claims := a.auditedClaims(v.Claims)
	found := checkClaims(claims)
	if a.last == nil {
		return found
	}
	return slices.Concat(found, a.checkStates(ctx, v.Earlier, claims), a.checkAdminNamespaces(v), a.checkPods(v))
}

// unreported returns the alarms about findings that were not returned before.
func (a *Auditor) unreported(found []finding) []Alarm {
	var alarms []Alarm
	for _, f := range found {
		alarm := Alarm{f.rule, f.text}
		if !a.reported[alarm] && !slices.Contains(alarms, alarm) {
			alarms = append(alarms, alarm)
		}
	}
	return alarms
}

// auditedClaims returns the claims that neither have nor had devices of other
// drivers.
func (a *Auditor) auditedClaims(claims []resourceapi.ResourceClaim) []resourceapi.ResourceClaim {
	return slices.DeleteFunc(slices.Clone(claims), func(c resourceapi.ResourceClaim) bool { return !a.isAudited(&c) })
}

func (a *Auditor) isAudited(claim *resourceapi.ResourceClaim) bool {
	return !a.others[claim.UID] && hasOnly(claim, a.config.Drivers)
}

// hasOnly reports whether all devices of a claim belong to the given drivers.
// If none are given, every claim qualifies.
func hasOnly(claim *resourceapi.ResourceClaim, drivers []string) bool {
	return len(drivers) == 0 || !slices.ContainsFunc(results(claim), func(r resourceapi.DeviceRequestAllocationResult) bool {
		return !slices.Contains(drivers, r.Driver)
	})
}

// checkStates checks all states of claims since the last view in order, up to the
// current one.
func (a *Auditor) checkStates(ctx context.Context, earlier [][]*resourceapi.ResourceClaim, now []resourceapi.ResourceClaim) []finding {
	var found []finding
	before := a.last.Claims
	for _, state := range earlier {
		if ctx.Err() != nil {
			break
		}
		claims := a.auditedClaims(valuesOf(state))
		found = slices.Concat(found, checkClaims(claims), a.checkNewAllocations(ctx, before, claims))
		before = claims
	}
	return append(found, a.checkNewAllocations(ctx, before, now)...)
}

// checkNewAllocations checks the allocations that claims have and did not have before.
func (a *Auditor) checkNewAllocations(ctx context.Context, before, claims []resourceapi.ResourceClaim) []finding {
	had := map[types.UID]*resourceapi.AllocationResult{}
	for i := range before {
		had[before[i].UID] = before[i].Status.Allocation
	}
	var found []finding
	fresh := map[string]*resourceapi.ResourceClaim{}
	for i := range claims {
		c := &claims[i]
		if c.Status.Allocation == nil || equality.Semantic.DeepEqual(had[c.UID], c.Status.Allocation) {
			continue
		}
		fresh[nameOf(c)] = c
		for _, f := range append(checkRequests(c), checkAdminAccess(c)...) {
			found = append(found, f.of(c))
		}
	}
	if len(fresh) == 0 {
		return found
	}
	held := holdersOf(claims)
	return append(found, a.inAllSnapshots(fresh, func(w snapshot) []finding {
		var wrong []finding
		for _, c := range fresh {
			for _, f := range w.checkClaim(ctx, c, a.config.Scheduler) {
				wrong = append(wrong, f.of(c))
			}
		}
		for _, f := range w.checkCombination(held, fresh, a.config.Scheduler) {
			// Existing holders may keep their devices when slices change.
			if f.isFaultOf(fresh) {
				wrong = append(wrong, f)
			}
		}
		return wrong
	})...)
}

// Watch audits a cluster until the context ends, waits for the given interval
// between two views, also after one that was audited before, and passes each alarm
// to report. Failed reads, such as those during the restart of an API server, are
// retried. Watch returns an error only if no read ever succeeds.
func (a *Auditor) Watch(ctx context.Context, read func(context.Context) (View, error), every time.Duration, report func(Alarm)) error {
	var failed error
	_ = wait.PollUntilContextCancel(ctx, every, a.last == nil, func(ctx context.Context) (bool, error) {
		v, err := read(ctx)
		if err != nil {
			failed = err
			return false, nil //nolint:nilerr // Returned below if no read ever succeeds.
		}
		for _, alarm := range a.Audit(ctx, v) {
			report(alarm)
		}
		return false, nil
	})
	if a.last == nil && failed != nil {
		return fmt.Errorf("watch allocations: %w", failed)
	}
	return nil
}
