// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"
)

// Readiness is what the scheduler knows about an allocated claim when it decides
// whether its devices are ready (KEP-5007).
type Readiness struct {
	Claim *resourceapi.ResourceClaim
	// Restarts is the number of restarts of the scheduler.
	Restarts int
}

// bind stores the results of the allocated claims, reserves all claims of the
// pod and binds it to the node, once its devices are ready.
func (c *Cluster) bind(pod *corev1.Pod, chosen choice, all, allocated []*resourceapi.ResourceClaim) error {
	for _, claim := range all {
		i := slices.IndexFunc(allocated, func(a *resourceapi.ResourceClaim) bool { return a.Name == claim.Name })
		if i >= 0 {
			result := &chosen.results[i]
			claim.Status.Allocation = result
			if c.Mistakes.ReplacesFinalizers {
				claim.Finalizers = []string{resourceapi.Finalizer}
			}
			if result.AllocationTimestamp == nil {
				result.AllocationTimestamp = ptr.To(metav1.Now().Rfc3339Copy())
			}
		}
		if !c.isConsumer(claim, pod) {
			if others := len(claim.Status.ReservedFor); c.Mistakes.OverwritesReservations && others > 1 {
				claim.Status.ReservedFor = claim.Status.ReservedFor[:others-1]
			}
			c.addConsumer(claim, pod)
		}
		if err := c.update(claims, claim); err != nil {
			return err
		}
	}
	if chosen.extended != nil {
		if err := c.createExtended(pod, chosen.extended, &chosen.results[len(chosen.results)-1]); err != nil {
			return err
		}
		// The pod may have to wait, and its status names the claim.
		if err := c.update(pods, pod); err != nil {
			return err
		}
	}
	return c.finishBinding(pod, chosen.node.Name)
}

// allocateUnbound stores the results of those claims of a pod that the scheduler
// wrote before the binding failed. Like kube-scheduler, it does not deallocate
// them then, and claims whose consumers must not be removed stay reserved.
func (c *Cluster) allocateUnbound(pod *corev1.Pod, written []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult) error {
	stays := c.Mistakes.KeepsReservations
	for i, claim := range written {
		claim.Status.Allocation = &results[i]
		kept := c.deniedRelease(claim) != nil
		stays = stays || kept && c.Mistakes.StopsUnreserving
		if stays || kept {
			addUser(claim, pod)
		}
		if err := c.update(claims, claim); err != nil {
			return err
		}
	}
	return nil
}

// writeUnbound is allocateUnbound for a pod whose claims could all be written. The
// claim for its extended resources was deleted then.
func (c *Cluster) writeUnbound(pod *corev1.Pod, chosen choice, written []*resourceapi.ResourceClaim) error {
	if chosen.extended == nil {
		return c.allocateUnbound(pod, written, chosen.results)
	}
	last := len(written) - 1
	err := c.allocateUnbound(pod, written[:last], chosen.results)
	if c.Mistakes.KeepsExtendedClaims && pod.Status.ExtendedResourceClaimStatus == nil {
		err = errors.Join(err, c.createExtended(pod, chosen.extended, &chosen.results[last]))
	}
	return err
}

// unreserveAll removes all consumers of claims, if that is a fault of the scheduler.
func (c *Cluster) unreserveAll(all []*resourceapi.ResourceClaim) error {
	var errs []error
	for _, claim := range all {
		if c.Mistakes.UnreservesAll && len(claim.Status.ReservedFor) > 0 {
			claim.Status.ReservedFor = nil
			errs = append(errs, c.update(claims, claim))
		}
	}
	return errors.Join(errs...)
}

// failBinding reports that a pod could not be bound.
func (c *Cluster) failBinding(pod *corev1.Pod, why error) error {
	if c.Mistakes.BindsFirst {
		pod.Spec.NodeName = nodeName(0)
	}
	reason := corev1.PodReasonSchedulerError
	if c.OtherWords {
		reason = corev1.PodReasonUnschedulable
	}
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: reason, Message: why.Error()})
	return c.update(pods, pod)
}

// finishBinding binds a pod with allocated claims to its node when the devices are
// ready. If one has failed, it deallocates the claim, and the pod is scheduled
// again.
func (c *Cluster) finishBinding(pod *corev1.Pod, node string) error {
	ready := true
	var all, failed, overdue []*resourceapi.ResourceClaim
	for name := range resourceclaim.PodClaims(pod) {
		claim, err := c.claim(types.NamespacedName{Namespace: pod.Namespace, Name: name})
		if apierrors.IsNotFound(err) {
			continue // A fault names another claim in the status of the pod.
		}
		if err != nil {
			return fmt.Errorf("read claim of pod %s: %w", pod.Name, err)
		}
		all = append(all, claim)
		isReady, hasFailed := c.readiness(claim.DeepCopy())
		ready = ready && isReady
		if hasFailed {
			failed = append(failed, claim)
		}
		if !isReady && c.isOverdue(claim) {
			overdue = append(overdue, claim)
		}
	}
	if len(failed) == 0 {
		failed = overdue
	}
	switch {
	case len(failed) > 0 && c.Mistakes.KeepsFailed:
		return nil
	case len(failed) > 0:
		delete(c.scheduler.waiting, pod.UID)
		c.countBindings("failure", all)
		if c.ReleasesTogether {
			failed = all
		}
		return c.releaseFailed(pod, failed)
	case !ready:
		c.scheduler.waiting[pod.UID] = node
		return nil
	}
	delete(c.scheduler.waiting, pod.UID)
	c.countBindings("success", all)
	pod.Spec.NodeName = node
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return c.update(pods, pod)
}

// bindingTimeout is how long the scheduler waits until devices are ready, which is the
// default of kube-scheduler.
const bindingTimeout = 10 * time.Minute

// isOverdue reports whether the devices of a claim that is not ready should have been ready by
// now.
func (c *Cluster) isOverdue(claim *resourceapi.ResourceClaim) bool {
	a := claim.Status.Allocation
	return !c.Mistakes.WaitsForever && a != nil && a.AllocationTimestamp != nil && time.Since(a.AllocationTimestamp.Time) > bindingTimeout
}

// readiness reports whether all devices of a claim are ready, and whether one of
// them has failed.
func (c *Cluster) readiness(claim *resourceapi.ResourceClaim) (ready, failed bool) {
	if change := c.Mistakes.MisreadsReadiness; change != nil {
		change(&Readiness{Claim: claim, Restarts: c.restarts[component{name: "scheduler"}]})
	}
	if claim.Status.Allocation == nil {
		return true, false // A scheduler that allocates nothing waits for nothing.
	}
	ready = true
	for _, result := range claim.Status.Allocation.Devices.Results {
		conditions := conditionsOf(claim, result)
		failed = failed || slices.ContainsFunc(result.BindingFailureConditions, func(name string) bool { return apimeta.IsStatusConditionTrue(conditions, name) })
		ready = ready && !slices.ContainsFunc(result.BindingConditions, func(name string) bool { return !apimeta.IsStatusConditionTrue(conditions, name) })
	}
	return ready, failed
}

// conditionsOf returns the conditions of an allocated device.
func conditionsOf(claim *resourceapi.ResourceClaim, result resourceapi.DeviceRequestAllocationResult) []metav1.Condition {
	i := slices.IndexFunc(claim.Status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool {
		return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device
	})
	if i < 0 {
		return nil
	}
	return claim.Status.Devices[i].Conditions
}

// releaseFailed removes a pod from the users of claims with failed devices, and
// deallocates those without other users.
func (c *Cluster) releaseFailed(pod *corev1.Pod, failed []*resourceapi.ResourceClaim) error {
	for _, claim := range failed {
		if c.Mistakes.KeepsFailedShared && len(claim.Status.ReservedFor) > 1 {
			continue
		}
		claim.Status.ReservedFor = slices.DeleteFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.UID == pod.UID })
		if len(claim.Status.ReservedFor) == 0 {
			claim.Status = resourceapi.ResourceClaimStatus{}
		}
		if err := c.update(claims, claim); err != nil {
			return fmt.Errorf("deallocate claim %s: %w", claim.Name, err)
		}
	}
	return nil
}

// countBindings counts the devices with binding conditions of a pod that was bound,
// or could not be.
func (c *Cluster) countBindings(outcome string, all []*resourceapi.ResourceClaim) {
	for _, claim := range all {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if len(result.BindingConditions) > 0 {
				c.counters.bindings[[2]string{result.Driver, outcome}]++
			}
		}
	}
}
