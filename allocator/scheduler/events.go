// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/draconform/draconform/internal/fault"
)

// EventsToRegister returns the events that may make a rejected pod schedulable. The scheduler watches claims,
// slices and classes only because they are registered here. Registering classes also makes the scheduler maintain
// its map of extended resources to classes.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	event := func(resource fwk.EventResource, action fwk.ActionType) fwk.ClusterEvent {
		return fwk.ClusterEvent{Resource: resource, ActionType: action}
	}
	return []fwk.ClusterEventWithHint{
		{Event: event(fwk.Node, without(fault.ForgetsNodeLabels, fwk.UpdateNodeLabel, fwk.Add|fwk.UpdateNodeLabel|fwk.UpdateNodeAllocatable|fwk.UpdateNodeDeclaredFeature))},
		{
			Event:             event(fwk.ResourceClaim, without(fault.ForgetsNewClaims, fwk.Add, fwk.Add|fwk.Update|fwk.Delete)),
			QueueingHintFn:    p.afterClaimChange,
			PreQueueingHintFn: p.podsAffectedByClaim,
		},
		{Event: event(fwk.TargetPod, fwk.UpdatePodGeneratedResourceClaim), QueueingHintFn: p.afterPodUpdate},
		{Event: event(fwk.AssignedPod, fwk.Delete), QueueingHintFn: p.afterPodDeletion},
		// A class or a slice may hide others, which become effective when it is deleted.
		{Event: event(fwk.DeviceClass, without(fault.ForgetsClassUpdates, fwk.Update, without(fault.ForgetsNewClasses, fwk.Add, fwk.Add|fwk.Update|fwk.Delete)))},
		{Event: event(fwk.ResourceSlice, sliceActions()), QueueingHintFn: afterSliceChange()},
	}, nil
}

// sliceActions returns the changes of slices, and of the DeviceTaintRules for them, that may make devices available.
func sliceActions() fwk.ActionType {
	actions := without(fault.ForgetsSliceUpdates, fwk.Update, fwk.Add|fwk.Update|fwk.Delete)
	return without(fault.ForgetsNewSlices, fwk.Add, actions)
}

// without returns actions. With a fault it returns all but one of them.
func without(faulty bool, one, actions fwk.ActionType) fwk.ActionType { //nolint:unparam // Always false in builds without faults.
	if faulty {
		return actions &^ one
	}
	return actions
}

// releasesDevices reports whether a change of a claim releases devices.
func releasesDevices(before, after *resourceapi.ResourceClaim) bool {
	return !fault.ForgetsReleases && before != nil && before.Status.Allocation != nil && (after == nil || after.Status.Allocation == nil)
}

// podsAffectedByClaim returns the pods that use a claim if its change releases no devices. Otherwise all pods are
// affected.
func (p *Plugin) podsAffectedByClaim(_ klog.Logger, oldObject, newObject any) (fwk.PreQueueingHintResult, error) {
	if _, unknown := oldObject.(cache.DeletedFinalStateUnknown); unknown {
		return fwk.PreQueueingHintResult{AllPods: true}, nil
	}
	before, after, err := schedutil.As[*resourceapi.ResourceClaim](oldObject, newObject)
	if err != nil {
		return fwk.PreQueueingHintResult{AllPods: true}, fmt.Errorf("claim event: %w", err)
	}
	claim := after
	if claim == nil {
		claim = before
	}
	if releasesDevices(before, after) {
		return fwk.PreQueueingHintResult{AllPods: true}, nil
	}
	pods, err := p.indices.podsOfClaim(claim)
	if err != nil {
		return fwk.PreQueueingHintResult{}, err
	}
	var result fwk.PreQueueingHintResult
	for _, pod := range pods {
		result.Pods = append(result.Pods, types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name})
	}
	if owner := extendedOwner(claim); owner != nil {
		result.Pods = append(result.Pods, types.NamespacedName{Namespace: claim.Namespace, Name: owner.Name})
	}
	return result, nil
}

// afterClaimChange requeues pods that wait for devices when some are freed. It also requeues pods that wait for the
// claim itself when the claim or its status changes.
func (p *Plugin) afterClaimChange(_ klog.Logger, pod *corev1.Pod, oldObject, newObject any) (fwk.QueueingHint, error) {
	if _, unknown := oldObject.(cache.DeletedFinalStateUnknown); unknown {
		return fwk.Queue, nil
	}
	before, after, err := schedutil.As[*resourceapi.ResourceClaim](oldObject, newObject)
	if err != nil {
		return fwk.Queue, fmt.Errorf("claim event: %w", err)
	}
	if owner := extendedOwner(before); after == nil && owner != nil && owner.UID == pod.UID {
		// The claim for extended resources of an earlier attempt was deleted.
		return fwk.Queue, nil
	}
	claims, err := p.podClaims(pod)
	if err != nil {
		// The pod has to wait for something else.
		return fwk.QueueSkip, nil //nolint:nilerr // what the pod waits for is not an error of the event
	}
	if releasesDevices(before, after) {
		return fwk.Queue, nil
	}
	if after == nil || !uses(claims, after) {
		return fwk.QueueSkip, nil
	}
	if before != nil && apiequality.Semantic.DeepEqual(before.Status, after.Status) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}

func uses(claims []*resourceapi.ResourceClaim, claim *resourceapi.ResourceClaim) bool {
	for _, c := range claims {
		if c.UID == claim.UID {
			return true
		}
	}
	return false
}

// afterPodUpdate requeues a pod once all of its claims were generated.
func (p *Plugin) afterPodUpdate(_ klog.Logger, _ *corev1.Pod, _, newObject any) (fwk.QueueingHint, error) {
	_, updated, err := schedutil.As[*corev1.Pod](nil, newObject)
	if err != nil {
		return fwk.Queue, fmt.Errorf("pod event: %w", err)
	}
	if _, err := p.podClaims(updated); err != nil {
		return fwk.QueueSkip, nil //nolint:nilerr // what the pod waits for is not an error of the event
	}
	return fwk.Queue, nil
}

// afterPodDeletion requeues pods that wait for devices when a pod with allocations in flight could not be bound. A pod
// that is deleted releases its devices later, by an event of its claim.
func (p *Plugin) afterPodDeletion(_ klog.Logger, _ *corev1.Pod, oldObject, _ any) (fwk.QueueingHint, error) {
	gone, _, err := schedutil.As[*corev1.Pod](oldObject, nil)
	if err != nil {
		return fwk.Queue, fmt.Errorf("pod event: %w", err)
	}
	if gone == nil || gone.DeletionTimestamp != nil {
		return fwk.QueueSkip, nil
	}
	if len(gone.Spec.ResourceClaims) == 0 && (!p.features.EnableDRAExtendedResource || !p.requestsBacked(gone)) {
		return fwk.QueueSkip, nil
	}
	return fwk.Queue, nil
}
