// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
	"k8s.io/client-go/util/retry"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

func (p *Plugin) claimClient(claim *resourceapi.ResourceClaim) resourceclient.ResourceClaimInterface {
	return p.client.ResourceV1().ResourceClaims(claim.Namespace)
}

// changeClaim calls change with a copy of the claim. After a conflict it calls change again with the claim of the API
// server. It returns an error if that claim has a different UID.
func (p *Plugin) changeClaim(ctx context.Context, claim *resourceapi.ResourceClaim, change func(current *resourceapi.ResourceClaim) error) error {
	current := claim.DeepCopy()
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if current == nil {
			fresh, err := p.claimClient(claim).Get(ctx, claim.Name, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("get resourceclaim %s after a conflict: %w", klog.KObj(claim), err)
			}
			if fresh.UID != claim.UID {
				return fmt.Errorf("resourceclaim %s was replaced by another one of the same name", klog.KObj(claim))
			}
			if fault.OverwritesReservations {
				fresh.Status = *claim.Status.DeepCopy()
			}
			current = fresh
		}
		object := current
		current = nil
		return change(object)
	})
}

// writeReservation adds the pod to status.reservedFor of the claim. If an allocation was chosen for the claim, it
// writes that too.
func (p *Plugin) writeReservation(ctx context.Context, pod *corev1.Pod, claim *resourceapi.ResourceClaim, chosen *resourceapi.AllocationResult) (*resourceapi.ResourceClaim, error) {
	var written *resourceapi.ResourceClaim
	err := p.changeClaim(ctx, claim, func(current *resourceapi.ResourceClaim) error {
		switch {
		case current.DeletionTimestamp != nil:
			return fmt.Errorf("resourceclaim %s was deleted in the meantime", klog.KObj(current))
		case chosen != nil && current.Status.Allocation != nil:
			return fmt.Errorf("resourceclaim %s was allocated by another scheduler in the meantime", klog.KObj(current))
		case chosen == nil && current.Status.Allocation == nil:
			return fmt.Errorf("resourceclaim %s was deallocated in the meantime", klog.KObj(current))
		}
		if chosen != nil {
			var err error
			if current, err = p.addFinalizer(ctx, current); err != nil {
				return err
			}
			current.Status.Allocation = p.stamped(chosen)
		}
		if separately := variant.ReservesSeparately && chosen != nil; !separately && !resourceclaim.IsReservedForPod(pod, current, false) {
			current.Status.ReservedFor = append(current.Status.ReservedFor, resourceapi.ResourceClaimConsumerReference{
				Resource: "pods", Name: pod.Name, UID: pod.UID,
			})
		}
		if fault.DropsDeviceStatus {
			current.Status.Devices = nil
		}
		updated, err := p.claimClient(current).UpdateStatus(ctx, current, metav1.UpdateOptions{})
		if err != nil && !rejected(err) {
			if stored := p.storedReservation(ctx, pod, claim); stored != nil {
				updated, err = stored, nil
			}
		}
		if err != nil {
			return fmt.Errorf("reserve resourceclaim %s for pod %s: %w", klog.KObj(current), klog.KObj(pod), err)
		}
		written = updated
		return nil
	})
	return written, err
}

// rejected reports whether the API server has rejected a request. After any other error the request may have been
// stored, because the response may have been lost.
func rejected(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError && code != http.StatusRequestTimeout && code != http.StatusTooManyRequests
}

const (
	readInterval = 250 * time.Millisecond
	// readTimeout bounds the read in storedReservation. It is how long a scheduler that cannot reach the API server
	// stays the leader.
	readTimeout = 10 * time.Second
)

// storedReservation returns the claim if the API server has it as allocated and reserved for the pod although the
// update returned an error. It returns nil if the claim is not, or if that cannot be determined. Without this check
// the devices would count as free until the informer receives the claim.
func (p *Plugin) storedReservation(ctx context.Context, pod *corev1.Pod, claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	var stored *resourceapi.ResourceClaim
	err := wait.PollUntilContextTimeout(ctx, readInterval, readTimeout, true, func(ctx context.Context) (bool, error) {
		got, err := p.claimClient(claim).Get(ctx, claim.Name, metav1.GetOptions{})
		stored = got
		return err == nil || rejected(err), nil
	})
	if err != nil || stored == nil || stored.UID != claim.UID || stored.Status.Allocation == nil || !resourceclaim.IsReservedForPod(pod, stored, false) {
		return nil
	}
	return stored
}

// stamped returns a copy of the allocation. With binding conditions its allocationTimestamp is set, from which the
// binding timeout is measured.
func (p *Plugin) stamped(chosen *resourceapi.AllocationResult) *resourceapi.AllocationResult {
	allocation := chosen.DeepCopy()
	if p.bindingConditions() {
		allocation.AllocationTimestamp = &metav1.Time{Time: time.Now()}
	}
	return allocation
}

// addFinalizer adds the finalizer that keeps an allocated claim from being removed before it is deallocated.
func (p *Plugin) addFinalizer(ctx context.Context, claim *resourceapi.ResourceClaim) (*resourceapi.ResourceClaim, error) {
	if slices.Contains(claim.Finalizers, resourceapi.Finalizer) || fault.AddsNoFinalizer {
		return claim, nil
	}
	claim.Finalizers = append(claim.Finalizers, resourceapi.Finalizer)
	if fault.ReplacesFinalizers {
		claim.Finalizers = []string{resourceapi.Finalizer}
	}
	updated, err := p.claimClient(claim).Update(ctx, claim, metav1.UpdateOptions{})
	if err != nil {
		return nil, fmt.Errorf("add the finalizer to resourceclaim %s: %w", klog.KObj(claim), err)
	}
	return updated, nil
}

// createClaim creates a claim with a generated name and with the finalizer for allocated claims.
func (p *Plugin) createClaim(ctx context.Context, claim *resourceapi.ResourceClaim) (*resourceapi.ResourceClaim, error) {
	object := claim.DeepCopy()
	object.Name, object.UID = "", ""
	object.Finalizers = []string{resourceapi.Finalizer}
	if fault.NamesClaimsAfterPods {
		object.Name = strings.TrimSuffix(object.GenerateName, "-")
	}
	created, err := p.claimClient(object).Create(ctx, object, metav1.CreateOptions{})
	countCreated(err)
	if err != nil {
		return nil, fmt.Errorf("create resourceclaim %s in namespace %s: %w", object.GenerateName, object.Namespace, err)
	}
	return created, nil
}

// deallocate removes the allocation of a claim that is not in use.
func (p *Plugin) deallocate(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	object := claim.DeepCopy()
	object.Status = resourceapi.ResourceClaimStatus{}
	if _, err := p.claimClient(object).UpdateStatus(ctx, object, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("deallocate resourceclaim %s: %w", klog.KObj(object), err)
	}
	return nil
}

// deleteClaim deletes a claim for extended resources. It removes the finalizer because no other component does.
func (p *Plugin) deleteClaim(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	err := p.changeClaim(ctx, claim, func(current *resourceapi.ResourceClaim) error {
		i := slices.Index(current.Finalizers, resourceapi.Finalizer)
		if i < 0 {
			return nil
		}
		current.Finalizers = slices.Delete(current.Finalizers, i, i+1)
		_, err := p.claimClient(current).Update(ctx, current, metav1.UpdateOptions{})
		return err
	})
	if err == nil {
		err = p.claimClient(claim).Delete(ctx, claim.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &claim.UID}})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete resourceclaim %s: %w", klog.KObj(claim), err)
	}
	return nil
}

func (p *Plugin) patchClaimStatus(ctx context.Context, claim *resourceapi.ResourceClaim, patch []byte) error {
	_, err := p.claimClient(claim).Patch(ctx, claim.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}, "status")
	return err
}
