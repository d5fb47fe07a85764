// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
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
		u := use{node: pod.Spec.NodeName, claim: types.NamespacedName{Namespace: pod.Namespace, Name: name}}
		if claim, err := c.claim(u.claim); err == nil {
			u.uid = claim.UID
		}
		uses = append(uses, u)
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

// prepare calls the driver for each claim of a pod that is not prepared yet. It
// returns an error if a claim could not be prepared.
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
	for _, u := range uses {
		if c.kubelets.prepared[u] && !c.kubelets.uncertain[u] {
			continue
		}
		if c.Mistakes.StartsWithoutDriver && c.errStopped(u.node) != nil {
			continue
		}
		if err := c.driverOn(u.node).call(calls.Prepare, u.claim, u.uid); err != nil {
			c.fail(pod)
			return err
		}
		c.kubelets.prepared[u] = true
		c.kubelets.stored[u] = slices.Clone(c.driverOn(u.node).devices[u.uid])
		delete(c.kubelets.uncertain, u)
	}
	return nil
}

// mayUse returns an error if a pod must not use its claims. It is called before
// any claim is prepared.
func (c *Cluster) mayUse(pod *corev1.Pod, uses []use) error {
	for _, u := range uses {
		claim, err := c.claim(u.claim)
		if err != nil {
			return err
		}
		if !isReserved(claim, pod) && !c.Mistakes.IgnoresReservedFor {
			return fmt.Errorf("pod %s is not allowed to use claim %s", pod.Name, claim.Name)
		}
		if claim.Status.Allocation == nil {
			return fmt.Errorf("claim %s is not allocated", claim.Name)
		}
		for other := range c.kubelets.prepared {
			if other.node == u.node && other.claim == u.claim && other.uid != u.uid && !c.Mistakes.MixesUpClaims {
				return fmt.Errorf("an older claim %s is still prepared", claim.Name)
			}
		}
	}
	return nil
}

// unprepare unprepares a claim that no pod of the node uses any more. It
// reports whether this succeeded.
func (c *Cluster) unprepare(u use) bool {
	if !c.kubelets.prepared[u] || c.Mistakes.NeverAsks {
		return true
	}
	if c.driverOn(u.node).call(calls.Unprepare, u.claim, u.uid) != nil {
		return false
	}
	delete(c.kubelets.prepared, u)
	if !c.Mistakes.KeepsCheckpoint {
		delete(c.kubelets.stored, u)
	}
	return true
}

// terminate unprepares the claims of a deleted pod that no other pod uses. It
// reports whether the pod can be removed.
func (c *Cluster) terminate(pod *corev1.Pod, all []*corev1.Pod) bool {
	if !c.triesAgain(pod) {
		return false
	}
	done := true
	for _, u := range c.usesOf(pod) {
		users := 0
		for _, other := range all {
			if slices.Contains(c.usesOf(other), u) {
				users++
			}
		}
		neverStarted := pod.Status.Phase == corev1.PodPending
		if users == 1 || c.Mistakes.UnpreparesEarly || c.Mistakes.UnpreparesForAny && neverStarted {
			done = c.unprepare(u) && done
		}
	}
	if !done {
		c.fail(pod)
	}
	return done || c.Mistakes.LetsGo
}

// unprepareUnused unprepares the claims of pods that were removed without the
// kubelet.
func (c *Cluster) unprepareUnused() error {
	if c.Mistakes.ForgetsForced {
		return nil
	}
	all, err := c.pods()
	if err != nil {
		return err
	}
	used := map[use]bool{}
	for _, pod := range all {
		if pod.Status.Phase == corev1.PodSucceeded && !c.Mistakes.KeepsCompleted {
			continue
		}
		for _, u := range c.usesOf(pod) {
			used[u] = true
		}
	}
	for u := range c.kubelets.prepared {
		if !used[u] {
			c.unprepare(u)
		}
	}
	return nil
}
