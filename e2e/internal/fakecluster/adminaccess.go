// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// patchNamespace imitates the API server for patches of a namespace, which change its resource
// version. Auditors know by it that the namespace had other labels in between.
func (c *Cluster) patchNamespace(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	handled, patched, err := clienttesting.ObjectReaction(c.tracker)(action)
	if err != nil {
		return handled, nil, err
	}
	namespace := patched.(*corev1.Namespace).DeepCopy()
	namespace.ResourceVersion = strconv.Itoa(c.tracker.countOf(namespaces))
	return true, namespace, c.update(namespaces, namespace)
}

// deniedAdminAccess returns an error if a new claim or template requests admin
// access in a namespace without the label for it.
func (c *Cluster) deniedAdminAccess(object runtime.Object, namespace string) error {
	var kind string
	var requests []resourceapi.DeviceRequest
	path := field.NewPath("spec")
	switch object := object.(type) {
	case *resourceapi.ResourceClaim:
		kind, requests = "ResourceClaim", object.Spec.Devices.Requests
	case *resourceapi.ResourceClaimTemplate:
		kind, requests, path = "ResourceClaimTemplate", object.Spec.Spec.Devices.Requests, path.Child("spec")
	}
	i := slices.IndexFunc(requests, func(r resourceapi.DeviceRequest) bool {
		return r.Exactly != nil && ptr.Deref(r.Exactly.AdminAccess, false)
	})
	if i < 0 || i > 0 && c.Mistakes.ReadsFirstAdminAccess {
		return nil
	}
	return c.deniedWithoutLabel(namespace, kind, path.Child("devices", "requests").Index(i).Child("adminAccess"))
}

// deniedAdminStatus returns an error if the status of a claim states admin access,
// and has not done so before, in a namespace without the label for it.
func (c *Cluster) deniedAdminStatus(claim *resourceapi.ResourceClaim) error {
	i := adminResult(claim)
	if i < 0 || i > 0 && c.Mistakes.ReadsFirstAdminAccess {
		return nil
	}
	before, err := c.claim(types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name})
	if err != nil || adminResult(before) >= 0 && !c.Mistakes.GrantsAdminAccessEachTime {
		return err
	}
	return c.deniedWithoutLabel(claim.Namespace, "ResourceClaimStatus", field.NewPath("status", "allocation", "devices", "results").Index(i).Child("adminAccess"))
}

// adminResult returns the index of the first allocation result of a claim with
// admin access, or -1.
func adminResult(claim *resourceapi.ResourceClaim) int {
	if claim.Status.Allocation == nil {
		return -1
	}
	return slices.IndexFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return ptr.Deref(r.AdminAccess, false) })
}

// deniedWithoutLabel returns an error for admin access in a field if the namespace
// lacks the label for it.
func (c *Cluster) deniedWithoutLabel(namespace, kind string, at *field.Path) error {
	in, err := c.tracker.Get(namespaces, "", namespace)
	if err != nil {
		return err
	}
	value, labelled := in.(*corev1.Namespace).Labels[resourceapi.DRAAdminNamespaceLabelKey]
	allowed := value == "true"
	if c.Mistakes.MisjudgesAdminAccess != nil {
		allowed = c.Mistakes.MisjudgesAdminAccess(kind, value, labelled)
	}
	if allowed {
		return nil
	}
	why := fmt.Sprintf("namespace %s lacks the label %s: true", namespace, resourceapi.DRAAdminNamespaceLabelKey)
	return apierrors.NewInvalid(schema.GroupKind{Group: resourceapi.GroupName, Kind: kind}, "", field.ErrorList{
		field.Forbidden(at, why),
	})
}
