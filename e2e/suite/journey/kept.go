// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// lost returns what an object lacks of an earlier state.
func (was other) lost(name string, is other) []string {
	if is.meta.UID != was.meta.UID {
		return []string{name + " was deleted"}
	}
	all := append(lostMetadata(name, was.meta, is.meta), lostFinalizers(name, was.meta, is.meta)...)
	if !equality.Semantic.DeepEqual(is.spec, was.spec) {
		all = append(all, fmt.Sprintf("the spec of %s has changed to %s from %s", name, inJSON(is.spec), inJSON(was.spec)))
	}
	for _, c := range was.conditions {
		if meta.FindStatusCondition(is.conditions, c.Type) == nil {
			all = append(all, fmt.Sprintf("%s has lost the condition %s of its status, which was %s", name, c.Type, inJSON(c)))
		}
	}
	return all
}

// lostMetadata returns which metadata of an object was lost. Components may add metadata.
func lostMetadata(name string, was, is metav1.ObjectMeta) []string {
	all := append(lostValues(name, "label", was.Labels, is.Labels), lostValues(name, "annotation", was.Annotations, is.Annotations)...)
	for _, owner := range was.OwnerReferences {
		if !slices.ContainsFunc(is.OwnerReferences, func(o metav1.OwnerReference) bool { return equality.Semantic.DeepEqual(o, owner) }) {
			all = append(all, fmt.Sprintf("%s has lost its owner %s, its owners are %s", name, inJSON(owner), inJSON(is.OwnerReferences)))
		}
	}
	if was.DeletionTimestamp == nil && is.DeletionTimestamp != nil {
		all = append(all, name+" is being deleted")
	}
	return all
}

func lostValues(name, kind string, was, is map[string]string) []string {
	var all []string
	for key, value := range was {
		switch now, ok := is[key]; {
		case !ok:
			all = append(all, fmt.Sprintf("%s has lost its %s %s=%s", name, kind, key, value))
		case now != value:
			all = append(all, fmt.Sprintf("the %s %s of %s has changed to %s from %s", kind, key, name, now, value))
		}
	}
	return all
}

func lostFinalizers(name string, was, is metav1.ObjectMeta) []string {
	var all []string
	for _, finalizer := range was.Finalizers {
		if !slices.Contains(is.Finalizers, finalizer) {
			all = append(all, fmt.Sprintf("%s has lost its finalizer %s", name, finalizer))
		}
	}
	return all
}

// lostOfClaim returns what a claim lacks of an earlier state, except for its allocation.
// When a claim is deallocated, its finalizers and the status of its devices are removed.
// Drivers may also change the status of their devices at any time, unless only the spec
// writes in their name.
func lostOfClaim(was, is resourceapi.ResourceClaim, drivers []string) []string {
	name := "claim " + was.Name
	if is.UID != was.UID {
		return []string{name + " was deleted"}
	}
	all := lostMetadata(name, was.ObjectMeta, is.ObjectMeta)
	if !equality.Semantic.DeepEqual(is.Spec, was.Spec) {
		all = append(all, fmt.Sprintf("the spec of %s has changed to %s from %s", name, inJSON(is.Spec), inJSON(was.Spec)))
	}
	if was.Status.Allocation == nil || !equality.Semantic.DeepEqual(is.Status.Allocation, was.Status.Allocation) {
		return all
	}
	all = append(all, lostFinalizers(name, was.ObjectMeta, is.ObjectMeta)...)
	for _, device := range was.Status.Devices {
		if !slices.Contains(drivers, device.Driver) {
			continue
		}
		of := fmt.Sprintf("device %s/%s/%s%s", device.Driver, device.Pool, device.Device, ptr.Deref(device.ShareID, ""))
		i := slices.IndexFunc(is.Status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool { return isOfSameDevice(d, device) })
		switch {
		case i < 0:
			all = append(all, fmt.Sprintf("%s has lost the status of %s, which was %s", name, of, inJSON(device)))
		case !equality.Semantic.DeepEqual(is.Status.Devices[i], device):
			all = append(all, fmt.Sprintf("the status of %s of %s has changed to %s from %s", of, name, inJSON(is.Status.Devices[i]), inJSON(device)))
		}
	}
	return all
}

func isOfSameDevice(a, b resourceapi.AllocatedDeviceStatus) bool {
	return a.Driver == b.Driver && a.Pool == b.Pool && a.Device == b.Device && ptr.Deref(a.ShareID, "") == ptr.Deref(b.ShareID, "")
}

// lostOfPod returns which claims the status of a pod does not name any more. The
// scheduler may replace the claim for extended resources until the pod is bound.
func lostOfPod(was, is corev1.Pod) []string {
	var all []string
	for _, claim := range was.Status.ResourceClaimStatuses {
		if !slices.ContainsFunc(is.Status.ResourceClaimStatuses, func(c corev1.PodResourceClaimStatus) bool { return equality.Semantic.DeepEqual(c, claim) }) {
			all = append(all, fmt.Sprintf("the status of pod %s has lost its claim %s, its claims are %s", was.Name, inJSON(claim), inJSON(is.Status.ResourceClaimStatuses)))
		}
	}
	if before, now := was.Status.ExtendedResourceClaimStatus, is.Status.ExtendedResourceClaimStatus; was.Spec.NodeName != "" && before != nil && !equality.Semantic.DeepEqual(now, before) {
		all = append(all, fmt.Sprintf("the claim for extended resources in the status of pod %s has changed to %s from %s", was.Name, inJSON(now), inJSON(before)))
	}
	return all
}
