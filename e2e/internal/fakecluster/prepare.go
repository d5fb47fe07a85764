package fakecluster

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/calls"
)

// use is a claim that a kubelet has prepared for pods of its node.
type use struct {
	node  string
	claim types.NamespacedName
}

// errNotPrepared is what a kubelet says that has given up.
var errNotPrepared = errors.New("the driver did not prepare a claim")

// usesOf are those of a pod that has a node.
func usesOf(pod *corev1.Pod) []use {
	var uses []use
	for _, c := range pod.Spec.ResourceClaims {
		if c.ResourceClaimName == nil {
			continue
		}
		uses = append(uses, use{pod.Spec.NodeName, types.NamespacedName{Namespace: pod.Namespace, Name: *c.ResourceClaimName}})
	}
	return uses
}

// prepare lets the driver prepare the claims of a pod that it has not prepared
// for another. It returns why it did not.
func (c *Cluster) prepare(pod *corev1.Pod) error {
	if c.Mistakes.NeverRetries && c.tried[pod.UID] > 0 {
		return errNotPrepared
	}
	for _, u := range usesOf(pod) {
		claim, err := c.claimOf(pod)
		if err == nil && !isReserved(claim, pod) {
			err = fmt.Errorf("pod %s is not allowed to use claim %s", pod.Name, claim.Name)
		}
		if c.Mistakes.IgnoresReservations && err != nil {
			continue
		}
		if err != nil {
			return err
		}
		if _, ok := c.known[u]; ok && !c.unsure[u] {
			continue
		}
		if c.Mistakes.StartsWithoutDriver && c.notThere(u.node) != nil {
			continue
		}
		if err := c.driverOn(u.node).call(calls.Prepare, u.claim, claim.UID); err != nil {
			c.tried[pod.UID]++
			return err
		}
		c.known[u] = claim.UID
		delete(c.unsure, u)
	}
	return nil
}

// unprepare gives a claim back for which no pod of the node is left. It reports
// whether the driver has done it.
func (c *Cluster) unprepare(u use) bool {
	uid, ok := c.known[u]
	if !ok || c.Mistakes.NeverAsks {
		return true
	}
	if c.driverOn(u.node).call(calls.Unprepare, u.claim, uid) != nil {
		return false
	}
	delete(c.known, u)
	return true
}

// mayGo lets the driver give back what only a pod uses that has ended, and
// reports whether the pod may go.
func (c *Cluster) mayGo(pod *corev1.Pod, all []*corev1.Pod) bool {
	done := true
	for _, u := range usesOf(pod) {
		users := 0
		for _, other := range all {
			for _, of := range usesOf(other) {
				if of == u {
					users++
				}
			}
		}
		if users == 1 || c.Mistakes.UnpreparesEarly {
			done = c.unprepare(u) && done
		}
	}
	return done || c.Mistakes.LetsGo
}

// giveBack gives back what pods used that are gone without the kubelet.
func (c *Cluster) giveBack() error {
	if c.Mistakes.ForgetsForced {
		return nil
	}
	all, err := c.pods()
	if err != nil {
		return err
	}
	used := map[use]bool{}
	for _, pod := range all {
		for _, u := range usesOf(pod) {
			used[u] = true
		}
	}
	for u := range c.known {
		if !used[u] {
			c.unprepare(u)
		}
	}
	return nil
}

// isReserved reports whether a pod may use a claim.
func isReserved(claim *resourceapi.ResourceClaim, pod *corev1.Pod) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.UID == pod.UID })
}
