// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/fakedriver/calls"
)

// use is the use of a claim on a node.
type use struct {
	node  string
	claim types.NamespacedName
	// uid is empty if the claim does not exist.
	uid types.UID
}

// errNotPrepared is the error of a kubelet that does not retry.
var errNotPrepared = errors.New("the driver did not prepare a claim")

// usesOf returns the claims of a pod on its node.
func (c *Cluster) usesOf(pod *corev1.Pod) []use {
	var uses []use
	for name := range resourceclaim.PodClaims(pod) {
		claim := types.NamespacedName{Namespace: pod.Namespace, Name: name}
		uid, _ := c.uidOfClaim(claim)
		uses = append(uses, use{node: pod.Spec.NodeName, claim: claim, uid: uid})
	}
	return uses
}

// nameInPod returns the name that a pod gives to a claim that it uses.
func nameInPod(pod *corev1.Pod, u use) string {
	for i := range pod.Spec.ResourceClaims {
		if name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i]); err == nil && name != nil && *name == u.claim.Name {
			return pod.Spec.ResourceClaims[i].Name
		}
	}
	return ""
}

// prepare calls the driver for the claims of a pod that are not prepared yet. It
// returns an error if they could not be prepared.
func (c *Cluster) prepare(pod *corev1.Pod) error {
	if _, failed := c.kubelets.failed[pod.UID]; failed && c.Mistakes.NeverRetries || !c.triesAgain(pod) {
		return errNotPrepared
	}
	uses := c.usesOf(pod)
	if err := c.mayUse(pod, uses); err != nil {
		if c.Mistakes.IgnoresReservations {
			return nil
		}
		return err
	}
	isReferenced := func(u use) bool {
		return slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(container corev1.Container) bool {
			return slices.ContainsFunc(container.Resources.Claims, func(used corev1.ResourceClaim) bool { return used.Name == nameInPod(pod, u) })
		})
	}
	if c.Mistakes.PreparesUsedOnly {
		uses = slices.DeleteFunc(uses, func(u use) bool { return !isReferenced(u) })
	}
	if c.Mistakes.MixesUpNamespaces {
		c.takeNamesakes(uses)
	}
	isPrepared := func(u use) bool { return c.kubelets.prepared[u] }
	if c.Mistakes.StopsAtPrepared && slices.ContainsFunc(uses, isPrepared) {
		return nil
	}
	uses = slices.DeleteFunc(uses, func(u use) bool {
		return isPrepared(u) && !c.kubelets.uncertain[u] || c.Mistakes.StartsWithoutDriver && c.errStopped(u.node) != nil
	})
	uses, err := c.called(uses)
	if err != nil {
		c.fail(pod)
		return err
	}
	for _, batch := range c.batches(uses) {
		for _, u := range batch {
			c.kubelets.attempted[u] = c.kubelets.attempted[u] || c.errStopped(u.node) == nil
		}
		if err := c.driverOn(pod.Spec.NodeName).call(calls.Prepare, batch...); err != nil {
			if c.Mistakes.RepeatsDevices {
				c.storeDevices(batch)
			}
			c.fail(pod)
			return err
		}
		for _, u := range batch {
			hasNone := func(h heldDevice) bool { return len(h.CDIDevices) == 0 }
			if c.Mistakes.NeedsCDIDevices && slices.ContainsFunc(c.driverOn(u.node).devices[u.uid], hasNone) {
				c.fail(pod)
				return fmt.Errorf("claim %s has a device without CDI devices", u.claim.Name)
			}
			c.kubelets.prepared[u] = true
			c.kubelets.extended[u] = pod.Status.ExtendedResourceClaimStatus != nil && pod.Status.ExtendedResourceClaimStatus.ResourceClaimName == u.claim.Name
			delete(c.kubelets.uncertain, u)
		}
		c.storeDevices(batch)
	}
	return nil
}

// storeDevices stores the devices that the driver has prepared for claims.
func (c *Cluster) storeDevices(batch []use) {
	for _, u := range batch {
		devices := slices.Clone(c.driverOn(u.node).devices[u.uid])
		if c.Mistakes.RepeatsDevices {
			devices = append(slices.Clone(c.kubelets.stored[u]), devices...)
		}
		c.kubelets.stored[u] = devices
	}
}

// takeNamesakes takes claims for prepared if one of the same name in another namespace is.
func (c *Cluster) takeNamesakes(uses []use) {
	for _, u := range uses {
		for other := range c.kubelets.prepared {
			if other.node == u.node && other.claim.Name == u.claim.Name && other.claim.Namespace != u.claim.Namespace && !c.kubelets.prepared[u] {
				c.kubelets.namesakes[u], c.kubelets.prepared[u] = other, true
			}
		}
	}
}

// batches returns the claims of each call for claims of a pod. A driver imitates
// all drivers of its node.
func (c *Cluster) batches(uses []use) [][]use {
	size := max(len(uses), 1)
	if c.Mistakes.CallsSeparately {
		size = 1
	}
	return slices.Collect(slices.Chunk(uses, size))
}

// mayUse returns an error if a pod must not use its claims. It is called before
// any claim is prepared.
func (c *Cluster) mayUse(pod *corev1.Pod, uses []use) error {
	for _, u := range uses {
		claim, err := c.claim(u.claim)
		if err != nil {
			return err
		}
		isNamesake := func(r resourceapi.ResourceClaimConsumerReference) bool {
			return c.Mistakes.ComparesUserNames && r.Name == pod.Name
		}
		if !isReserved(claim, pod) && !c.Mistakes.IgnoresReservedFor && !slices.ContainsFunc(claim.Status.ReservedFor, isNamesake) {
			return fmt.Errorf("pod %s is not allowed to use claim %s", pod.Name, claim.Name)
		}
		if claim.Status.Allocation == nil {
			return fmt.Errorf("claim %s is not allocated", claim.Name)
		}
		if c.Mistakes.RefusesEmptyClaims && len(claim.Status.Allocation.Devices.Results) == 0 {
			return fmt.Errorf("no devices are allocated for claim %s", claim.Name)
		}
		if c.kubelets.unpreparing[u] && !c.Mistakes.UsesUnpreparing {
			return fmt.Errorf("claim %s is being unprepared", claim.Name)
		}
		for other := range c.kubelets.prepared {
			if other.node == u.node && other.claim == u.claim && other.uid != u.uid && !c.Mistakes.MixesUpClaims {
				return fmt.Errorf("an older claim %s is still prepared", claim.Name)
			}
		}
	}
	return nil
}

// unprepare unprepares claims that no pod of their node uses any more. It
// reports whether this succeeded.
func (c *Cluster) unprepare(uses ...use) bool {
	uses = slices.DeleteFunc(uses, func(u use) bool {
		return !c.mayBePrepared(u) || c.Mistakes.NeverAsks || c.Mistakes.ForgetsExtended && c.kubelets.extended[u]
	})
	done := true
	for _, batch := range c.batches(uses) {
		for _, u := range batch {
			c.kubelets.unpreparing[u] = true
		}
		if c.driverOn(batch[0].node).call(calls.Unprepare, batch...) != nil {
			done = false
			continue
		}
		for _, u := range batch {
			delete(c.kubelets.prepared, u)
			delete(c.kubelets.attempted, u)
			delete(c.kubelets.unpreparing, u)
			if !c.Mistakes.KeepsCheckpoint {
				delete(c.kubelets.stored, u)
			}
		}
	}
	return done
}

// terminate ends the containers of a deleted pod, and unprepares its claims that
// no other pod uses. It reports whether the pod can be removed.
func (c *Cluster) terminate(pod *corev1.Pod, all []*corev1.Pod) (bool, error) {
	ended, err := c.endContainers(pod)
	if err != nil || !ended && !c.Mistakes.UnpreparesRunning || !c.triesAgain(pod) {
		return false, err
	}
	var unused []use
	for _, u := range c.usesOf(pod) {
		users := 0
		for _, other := range all {
			isElsewhere := func(o use) bool { return c.Mistakes.KeepsUsedElsewhere && o.claim == u.claim }
			if uses := c.usesOf(other); slices.Contains(uses, u) || slices.ContainsFunc(uses, isElsewhere) {
				users++
			}
		}
		neverStarted := pod.Status.Phase == corev1.PodPending
		isBegun := c.kubelets.unpreparing[u] && !c.Mistakes.UsesUnpreparing
		isForgotten := c.Mistakes.KubeletForgetsPods && c.restarts[component{"kubelet", u.node}] > 0
		if users == 1 || isBegun || isForgotten || c.Mistakes.UnpreparesEarly || c.Mistakes.UnpreparesForAny && neverStarted {
			unused = append(unused, u)
		}
	}
	done := c.unprepare(unused...)
	if !done {
		c.fail(pod)
	}
	return ended && (done || c.Mistakes.LetsGo), nil
}

// unprepareUnused unprepares the claims of pods that were removed without the
// kubelet.
func (c *Cluster) unprepareUnused() error {
	if c.Mistakes.ForgetsForced {
		return nil
	}
	all, err := c.sharedPods()
	if err != nil {
		return err
	}
	used := map[use]bool{}
	for _, pod := range all {
		completed, failed := pod.Status.Phase == corev1.PodSucceeded, pod.Status.Phase == corev1.PodFailed
		if completed && !c.Mistakes.KeepsCompleted || failed && !c.Mistakes.KeepsFailedPods {
			continue
		}
		for _, u := range c.usesOf(pod) {
			used[u] = true
		}
	}
	for u := range c.kubelets.attempted {
		if c.kubelets.down[u.node] {
			continue
		}
		if c.Mistakes.KeepsUsedElsewhere && slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(o use) bool { return o.claim == u.claim }) {
			continue
		}
		if !used[u] || c.Mistakes.UnpreparesCompleted && c.hasCompleted(all, u) {
			c.unprepare(u)
		}
	}
	return nil
}

// hasCompleted reports whether one of the pods that use a claim has completed.
func (c *Cluster) hasCompleted(all []*corev1.Pod, u use) bool {
	return slices.ContainsFunc(all, func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodSucceeded && slices.Contains(c.usesOf(pod), u)
	})
}

// mayBePrepared reports whether a driver has a claim prepared, or may have: it has failed
// to prepare the claim, or its answer was lost.
func (c *Cluster) mayBePrepared(u use) bool {
	return c.kubelets.prepared[u] || c.kubelets.attempted[u] && !c.Mistakes.ForgetsFailed
}
