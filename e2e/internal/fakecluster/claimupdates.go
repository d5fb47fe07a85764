// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clienttesting "k8s.io/client-go/testing"
)

// updateClaim imitates the API server for updates of claims. It returns an error if an
// admission policy or the API validation rejects the update.
func (c *Cluster) updateClaim(action clienttesting.Action) (bool, runtime.Object, error) {
	claim, ok := action.(clienttesting.UpdateAction).GetObject().(*resourceapi.ResourceClaim)
	if !ok {
		return false, nil, nil
	}
	old, err := c.claim(key(claim))
	if err == nil && action.GetSubresource() == "status" {
		err = c.updateStatus(old, claim)
	} else if err == nil {
		err = c.updateSpec(old, claim)
	}
	if err != nil {
		return true, nil, err
	}
	return c.dropInUpdate(action)
}

// dropInUpdate removes what the API server drops in an update by mistake. A dry run is not
// passed on to the tracker.
func (c *Cluster) dropInUpdate(action clienttesting.Action) (bool, runtime.Object, error) {
	object := action.(clienttesting.UpdateAction).GetObject()
	if drop := c.Mistakes.DropsInUpdates; drop != nil {
		drop(object)
	}
	options, ok := action.(clienttesting.UpdateActionImpl)
	return ok && len(options.UpdateOptions.DryRun) > 0, object, nil
}

// updateSpec imitates an update of a claim. Its status is not updated, and its spec
// must not change.
func (c *Cluster) updateSpec(old, claim *resourceapi.ResourceClaim) error {
	if !c.storesAll("update") {
		claim.Status = old.Status
	}
	changes := c.Mistakes.ChangesClaims
	if equality.Semantic.DeepEqual(old.Spec, claim.Spec) || changes != nil && changes(old) {
		return nil
	}
	return invalidClaim(claim, field.Invalid(field.NewPath("spec"), "", "field is immutable"))
}

// storesAll reports whether the API server stores all parts of a claim that is written
// at an endpoint, which is a fault.
func (c *Cluster) storesAll(endpoint string) bool {
	return c.Mistakes.StoresAllParts != nil && c.Mistakes.StoresAllParts(endpoint)
}

// keepForStatus gives a claim the parts of the stored one that an update of the status
// does not change.
func (c *Cluster) keepForStatus(old, claim *resourceapi.ResourceClaim) {
	if c.storesAll("status") {
		return
	}
	claim.Spec = old.Spec
	metav1.ResetObjectMetaForStatus(&claim.ObjectMeta, &old.ObjectMeta)
}

// validateAllocation returns an error if the allocation of a claim changes, or if its
// consumers are not those of an allocated claim that is not being deleted.
func (c *Cluster) validateAllocation(old, claim *resourceapi.ResourceClaim) error {
	path := field.NewPath("status")
	if was, is := old.Status.Allocation.DeepCopy(), claim.Status.Allocation.DeepCopy(); was != nil && is != nil {
		if ignore := c.Mistakes.IgnoresInAllocations; ignore != nil {
			ignore(was)
			ignore(is)
		}
		if !equality.Semantic.DeepEqual(was, is) {
			return invalidClaim(claim, field.Invalid(path.Child("allocation"), "", "field is immutable"))
		}
	}
	isNew := func(r resourceapi.ResourceClaimConsumerReference) bool {
		return !slices.Contains(old.Status.ReservedFor, r)
	}
	switch reserved := claim.Status.ReservedFor; {
	case c.Mistakes.ReservesAnyClaim:
	case len(reserved) > 0 && claim.Status.Allocation == nil:
		return invalidClaim(claim, field.Forbidden(path.Child("reservedFor"), "the claim is not allocated"))
	case old.DeletionTimestamp != nil && slices.ContainsFunc(reserved, isNew):
		return invalidClaim(claim, field.Forbidden(path.Child("reservedFor"), "the claim is being deleted"))
	}
	return nil
}

func invalidClaim(claim *resourceapi.ResourceClaim, err *field.Error) error {
	return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceClaim").GroupKind(), claim.Name, field.ErrorList{err})
}
