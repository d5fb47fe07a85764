// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"
)

// readClaims collects the claims of a pod. It returns why the scheduler does not try the pod: a claim does not exist, is
// being deleted, or belongs to another pod.
func (c *Cluster) readClaims(ctx context.Context, p *Pod) (missing string) {
	for i := range p.object.Spec.ResourceClaims {
		claim, state, err := c.podClaim(ctx, p.object, &p.object.Spec.ResourceClaims[i])
		if state == nil {
			continue
		}
		if err != nil {
			state.State = err.Error()
			missing = cmp.Or(missing, fmt.Sprintf("claim %q of the pod: %s", state.Name, err))
		}
		if claim != nil && !slices.Contains(p.claims, claim) {
			p.claims = append(p.claims, claim)
		}
		p.Claims = append(p.Claims, *state)
	}
	c.addExtended(p)
	return missing
}

// podClaim returns a claim of the pod's spec. It returns no state if the entry needs no claim.
func (c *Cluster) podClaim(ctx context.Context, pod *corev1.Pod, entry *corev1.PodResourceClaim) (*resourceapi.ResourceClaim, *Claim, error) {
	state := &Claim{Name: entry.Name, Template: ptr.Deref(entry.ResourceClaimTemplateName, "")}
	name, generated, err := resourceclaim.Name(pod, entry)
	switch {
	case errors.Is(err, resourceclaim.ErrClaimNotFound):
		return nil, state, c.notCreated(ctx, pod, state.Template)
	case err != nil:
		return nil, state, err
	case name == nil:
		return nil, nil, nil
	}
	state.Claim = pod.Namespace + "/" + *name
	claim := c.claim(state.Claim)
	if claim == nil {
		return nil, state, fmt.Errorf("ResourceClaim %s does not exist", state.Claim)
	}
	if generated {
		if err := resourceclaim.IsForPod(pod, claim, true); err != nil {
			return nil, state, err
		}
	}
	describe(state, claim)
	if claim.DeletionTimestamp != nil && claim.Status.Allocation == nil {
		return nil, state, fmt.Errorf("ResourceClaim %s is being deleted", state.Claim)
	}
	return claim, state, nil
}

func (c *Cluster) claim(name string) *resourceapi.ResourceClaim {
	i := slices.IndexFunc(c.Objects.Claims, func(claim *resourceapi.ResourceClaim) bool { return ClaimName(claim) == name })
	if i < 0 {
		return nil
	}
	return c.Objects.Claims[i]
}

// notCreated says why there is no claim of a template yet.
func (c *Cluster) notCreated(ctx context.Context, pod *corev1.Pod, template string) error {
	_, err := c.client.ResourceV1().ResourceClaimTemplates(pod.Namespace).Get(ctx, template, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return fmt.Errorf("ResourceClaimTemplate %s/%s does not exist", pod.Namespace, template)
	case err != nil:
		return fmt.Errorf("there is no ResourceClaim yet, and its template cannot be read: %w", err)
	}
	return fmt.Errorf("the ResourceClaim of ResourceClaimTemplate %s/%s has not been created: kube-controller-manager creates it, and reports errors as events of the pod",
		pod.Namespace, template)
}

// describe fills in the state of a claim.
func describe(state *Claim, claim *resourceapi.ResourceClaim) {
	reserved := len(claim.Status.ReservedFor)
	switch allocation := claim.Status.Allocation; {
	case allocation == nil:
		state.State = "not allocated"
	case reserved == 0:
		state.State = "allocated, not reserved"
	case reserved == 1:
		state.State = "allocated, reserved for " + claim.Status.ReservedFor[0].Name
	default:
		state.State = fmt.Sprintf("allocated, reserved for %d pods", reserved)
	}
	if claim.DeletionTimestamp != nil {
		state.State += ", being deleted"
	}
	if claim.Status.Allocation == nil {
		return
	}
	for i := range claim.Status.Allocation.Devices.Results {
		r := &claim.Status.Allocation.Devices.Results[i]
		state.Allocated = append(state.Allocated, r.Driver+"/"+r.Pool+"/"+r.Device)
	}
}
