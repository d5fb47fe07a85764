// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"
)

// Eviction is what the controller that evicts pods from devices knows about an
// allocated device.
type Eviction struct {
	// Result is the allocation of the device, with its tolerations.
	Result resourceapi.DeviceRequestAllocationResult
	// Published are the taints of the device in its ResourceSlice, and ByRules
	// those that DeviceTaintRules add.
	Published, ByRules []resourceapi.DeviceTaint
	// Changes is how often ResourceSlices and DeviceTaintRules have changed.
	Changes int
	// Claim is the claim with this allocation.
	Claim *resourceapi.ResourceClaim
	// All are the pods of all namespaces.
	All []*corev1.Pod
	// Pods are the pods on nodes that use the claim, and that it is reserved for.
	Pods []*corev1.Pod
}

// evictor is the state of the controller that evicts pods from devices.
type evictor struct {
	// published are the ResourceSlices, and rules the DeviceTaintRules, as of
	// readAt changes. seen are the rules that the controller sees.
	published   []*resourceapi.ResourceSlice
	rules, seen []*resourceapi.DeviceTaintRule
	readAt      int
}

// read reads what has taints, if it has changed. It reports whether there are
// any taints.
func (v *evictor) read(c *Cluster) (bool, error) {
	if changes := c.changes[slicesOf] + c.changes[taintRulesOf]; changes != v.readAt {
		published, slicesErr := c.slices()
		rules, rulesErr := c.taintRules()
		if err := errors.Join(slicesErr, rulesErr); err != nil {
			return false, err
		}
		v.published, v.rules, v.seen, v.readAt = published, rules, nil, changes
		for _, rule := range rules {
			seen := rule.DeepCopy()
			if c.Mistakes.MisreadsEvictingRules != nil {
				c.Mistakes.MisreadsEvictingRules(seen)
			}
			v.seen = append(v.seen, seen)
		}
	}
	return len(v.rules) > 0 || slices.ContainsFunc(v.published, func(s *resourceapi.ResourceSlice) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourceapi.Device) bool { return len(d.Taints) > 0 })
	}), nil
}

// evictPods deletes pods whose devices have a taint with the effect NoExecute
// that is not tolerated, or not any more.
func (c *Cluster) evictPods() error {
	tainted, err := c.evictor.read(c)
	if err != nil || !tainted {
		return err
	}
	allClaims, claimsErr := c.claims()
	allPods, podsErr := c.pods()
	if err := errors.Join(claimsErr, podsErr); err != nil {
		return err
	}
	evicting := map[string]bool{}
	for _, claim := range allClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			e := &Eviction{Result: result, Changes: c.evictor.readAt, Claim: claim, All: allPods, Published: taintsOf(c.evictor.published, result), ByRules: taintsByRules(c.evictor.seen, result.Driver, result.Pool, result.Device)}
			for _, pod := range allPods {
				if pod.Namespace == claim.Namespace && pod.Spec.NodeName != "" && isReserved(claim, pod) && usesClaim(pod, claim) {
					e.Pods = append(e.Pods, pod)
				}
			}
			if c.Mistakes.ReadsOldGenerations || c.Mistakes.AddsOldGenerations && len(e.Published) == 0 {
				e.Published = taintsInSlices(c.evictor.published, result)
			}
			if c.Mistakes.Misevicts != nil {
				c.Mistakes.Misevicts(e)
			}
			c.evictor.pending(e, evicting)
			if !e.isDue(time.Now()) {
				continue
			}
			for _, pod := range e.Pods {
				if err := c.evict(pod); err != nil {
					return err
				}
			}
		}
	}
	return c.tellEvictions(evicting)
}

// usesClaim reports whether a pod refers to a claim. Not all pods of a group use its
// claims.
func usesClaim(pod *corev1.Pod, claim *resourceapi.ResourceClaim) bool {
	for name := range resourceclaim.PodClaims(pod) {
		if name == claim.Name {
			return true
		}
	}
	return false
}

// pending adds the names of the rules because of which a pod has to be evicted from a
// device, now or later.
func (v *evictor) pending(e *Eviction, evicting map[string]bool) {
	if !slices.ContainsFunc(e.Pods, func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }) {
		return
	}
	const later = 100 * 365 * 24 * time.Hour
	for _, rule := range v.rules {
		taints := taintsByRules([]*resourceapi.DeviceTaintRule{rule}, e.Result.Driver, e.Result.Pool, e.Result.Device)
		if (&Eviction{Result: e.Result, ByRules: taints}).isDue(time.Now().Add(later)) {
			evicting[rule.Name] = true
		}
	}
}

// tellEvictions updates the conditions of rules. evicting has the names of those because of
// which pods have to be evicted. It does not count as a change that the scheduler observes.
func (c *Cluster) tellEvictions(evicting map[string]bool) error {
	for _, rule := range c.evictor.rules {
		condition := metav1.Condition{
			Type: resourceapi.DeviceTaintConditionEvictionInProgress, Status: metav1.ConditionFalse, Reason: "Counted", ObservedGeneration: rule.Generation,
		}
		if evicting[rule.Name] {
			condition.Status = metav1.ConditionTrue
		}
		if c.Mistakes.MistellsEvictions != nil && !c.Mistakes.MistellsEvictions(rule, &condition) {
			continue
		}
		if !meta.SetStatusCondition(&rule.Status.Conditions, condition) {
			continue
		}
		if err := c.tracker.Update(taintRulesOf, rule, ""); err != nil {
			return err
		}
	}
	return nil
}

// taintsOf returns the published taints of an allocated device. Only the newest
// generation of its pool counts.
func taintsOf(published []*resourceapi.ResourceSlice, result resourceapi.DeviceRequestAllocationResult) []resourceapi.DeviceTaint {
	var newest []*resourceapi.ResourceSlice
	for _, slice := range published {
		if slice.Spec.Driver != result.Driver || slice.Spec.Pool.Name != result.Pool {
			continue
		}
		if len(newest) > 0 && slice.Spec.Pool.Generation > newest[0].Spec.Pool.Generation {
			newest = nil
		}
		if len(newest) == 0 || slice.Spec.Pool.Generation == newest[0].Spec.Pool.Generation {
			newest = append(newest, slice)
		}
	}
	return taintsInSlices(newest, result)
}

// taintsInSlices returns the taints of an allocated device in the first slice that has
// it.
func taintsInSlices(published []*resourceapi.ResourceSlice, result resourceapi.DeviceRequestAllocationResult) []resourceapi.DeviceTaint {
	for _, slice := range published {
		if slice.Spec.Driver != result.Driver || slice.Spec.Pool.Name != result.Pool {
			continue
		}
		if i := slices.IndexFunc(slice.Spec.Devices, func(d resourceapi.Device) bool { return d.Name == result.Device }); i >= 0 {
			return slices.Clone(slice.Spec.Devices[i].Taints)
		}
	}
	return nil
}

// isDue reports whether a taint of the device is not tolerated at a time.
func (e *Eviction) isDue(now time.Time) bool {
	return slices.ContainsFunc(slices.Concat(e.Published, e.ByRules), func(taint resourceapi.DeviceTaint) bool {
		return taint.Effect == resourceapi.DeviceTaintEffectNoExecute && !isToleratedAt(taint, e.Result.Tolerations, now)
	})
}

// isToleratedAt reports whether tolerations tolerate a taint at a time. The
// shortest of several times counts.
func isToleratedAt(taint resourceapi.DeviceTaint, tolerations []resourceapi.DeviceToleration, now time.Time) bool {
	matching, until := 0, time.Duration(0)
	for _, toleration := range tolerations {
		if !resourceclaim.ToleratesTaint(toleration, taint) {
			continue
		}
		if toleration.TolerationSeconds == nil || toleration.Effect != resourceapi.DeviceTaintEffectNoExecute {
			return true
		}
		limit := time.Duration(max(0, *toleration.TolerationSeconds)) * time.Second
		if matching == 0 || limit < until {
			until = limit
		}
		matching++
	}
	return matching > 0 && taint.TimeAdded != nil && now.Before(taint.TimeAdded.Add(until))
}

// evict deletes a pod, which then terminates, and states why.
func (c *Cluster) evict(pod *corev1.Pod) error {
	if pod.DeletionTimestamp != nil || !c.due("evict pod", key(pod)) {
		return nil
	}
	if !c.Mistakes.EvictsWithoutCondition {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "Tainted"})
	}
	grace := ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, 30)
	pod.DeletionGracePeriodSeconds = &grace
	pod.DeletionTimestamp = ptr.To(metav1.NewTime(time.Now().Add(time.Duration(grace) * time.Second)))
	return c.update(pods, pod)
}
