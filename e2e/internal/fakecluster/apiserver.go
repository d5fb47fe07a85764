// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// create imitates the API server and its controllers for new objects. It sets
// the UID, and creates the default service account of a namespace.
func (c *Cluster) create(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	object := action.(clienttesting.CreateAction).GetObject()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return true, nil, err
	}
	if action.GetNamespace() != "" {
		if _, err := c.tracker.Get(namespaces, "", action.GetNamespace()); err != nil {
			return true, nil, err
		}
	}
	if err := c.deniedAdminAccess(object, action.GetNamespace()); err != nil {
		return true, nil, err
	}
	if slice, ok := object.(*resourceapi.ResourceSlice); ok && c.Admit != nil {
		c.Admit(&slice.Spec)
	}
	if c.Denies != nil {
		if err := c.Denies(object); err != nil {
			return true, nil, err
		}
	}
	switch object := object.(type) {
	case *corev1.Pod:
		c.admit(object)
		if err := c.removeNodes(); err != nil {
			return true, nil, err
		}
	case *batchv1.Job:
		object.Spec.Suspend = ptr.To(c.SuspendsJobs)
	}
	options, ok := action.(clienttesting.CreateActionImpl)
	dryRun := ok && len(options.CreateOptions.DryRun) > 0
	if err := c.charge(object, dryRun); err != nil {
		return true, nil, err
	}
	if claim, ok := object.(*resourceapi.ResourceClaim); ok && !c.storesAll("create") {
		claim.Status = resourceapi.ResourceClaimStatus{}
	}
	if dryRun {
		return true, object, nil
	}
	if err := refusedSelectors(object); err != nil {
		return true, nil, err
	}
	c.uids++
	accessor.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	accessor.SetUID(types.UID(fmt.Sprintf("uid-%d", c.uids)))
	if err := c.fillIn(object); err != nil {
		return true, nil, err
	}
	if accessor.GetNamespace() == "" {
		accessor.SetNamespace(action.GetNamespace())
	}
	if err := c.store(action.GetResource(), accessor); err != nil {
		return true, nil, err
	}
	if action.GetResource() == namespaces {
		err = c.store(accounts, defaultAccount(accessor.GetName()))
	}
	return true, object, err
}

// fillIn sets the fields of a new object that depend on its kind: defaults of the API,
// times, and statuses that controllers write at once.
func (c *Cluster) fillIn(object runtime.Object) error {
	switch object := object.(type) {
	case *corev1.Pod:
		object.Status.Phase = corev1.PodPending
		return c.setPriority(object)
	case *resourceapi.ResourceClaim:
		setDefaults(&object.Spec.Devices)
	case *resourceapi.ResourceClaimTemplate:
		setDefaults(&object.Spec.Spec.Devices)
	case *resourceapi.ResourceSlice:
		c.setTimes(object)
	case *resourceapi.DeviceClass:
		object.CreationTimestamp = metav1.Now().Rfc3339Copy()
	case *resourceapi.DeviceTaintRule:
		object.Generation = 1
		c.setTime(&object.Spec.Taint)
	case *corev1.ResourceQuota:
		object.Status = corev1.ResourceQuotaStatus{Hard: object.Spec.Hard, Used: object.Spec.Hard.DeepCopy()}
		for name := range object.Status.Used {
			object.Status.Used[name] = resource.Quantity{}
		}
	}
	return nil
}

func defaultAccount(namespace string) *corev1.ServiceAccount {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: namespace}}
}

// setDefaults sets the defaults of the API in the requests of a claim or template.
func setDefaults(devices *resourceapi.DeviceClaim) {
	one := func(mode *resourceapi.DeviceAllocationMode, count *int64) {
		if *mode == "" {
			*mode = resourceapi.DeviceAllocationModeExactCount
		}
		if *mode == resourceapi.DeviceAllocationModeExactCount && *count == 0 {
			*count = 1
		}
	}
	requests := devices.Requests
	for i := range requests {
		if requests[i].Exactly != nil {
			one(&requests[i].Exactly.AllocationMode, &requests[i].Exactly.Count)
		}
		for j := range requests[i].FirstAvailable {
			one(&requests[i].FirstAvailable[j].AllocationMode, &requests[i].FirstAvailable[j].Count)
		}
	}
}

// list applies field selectors, which the fake clientset ignores.
func (c *Cluster) list(action clienttesting.Action) (bool, runtime.Object, error) {
	want := action.(clienttesting.ListAction).GetListRestrictions().Fields
	if want.Empty() {
		return false, nil, nil
	}
	if action.GetResource() == slicesOf {
		c.advanceBeforeList()
	}
	handled, list, err := clienttesting.ObjectReaction(c.tracker)(action)
	if err != nil {
		return handled, nil, err
	}
	switch list := list.(type) {
	case *resourceapi.ResourceSliceList:
		list.Items = only(list.Items, want, func(s *resourceapi.ResourceSlice) fields.Set {
			set := fields.Set{
				resourceapi.ResourceSliceSelectorDriver:   s.Spec.Driver,
				resourceapi.ResourceSliceSelectorNodeName: ptr.Deref(s.Spec.NodeName, ""),
				resourceapi.ResourceSliceSelectorPoolName: s.Spec.Pool.Name,
			}
			for _, field := range []string{resourceapi.ResourceSliceSelectorNodeName, resourceapi.ResourceSliceSelectorPoolName} {
				if value, ok := want.RequiresExactMatch(field); ok && c.Mistakes.IgnoresFields {
					set[field] = value
				}
			}
			return set
		})
		if _, ofDriver := want.RequiresExactMatch(resourceapi.ResourceSliceSelectorDriver); ofDriver && c.ChangesPools {
			c.showChange(list)
		}
		c.measure(list)
	case *corev1.EventList:
		list.Items = only(list.Items, want, func(e *corev1.Event) fields.Set {
			return fields.Set{"involvedObject.uid": string(e.InvolvedObject.UID)}
		})
	default:
		return true, nil, fmt.Errorf("the fake cluster supports no field selector for %s", action.GetResource().Resource)
	}
	return handled, list, nil
}

func only[T any](items []T, want fields.Selector, fieldsOf func(*T) fields.Set) []T {
	var kept []T
	for i := range items {
		if want.Matches(fieldsOf(&items[i])) {
			kept = append(kept, items[i])
		}
	}
	return kept
}
