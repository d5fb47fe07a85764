// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// PreBindPreFlight returns that PreBind can run in parallel with other plugins, and Skip for pods without claims.
func (p *Plugin) PreBindPreFlight(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	result := &fwk.PreBindPreFlightResult{AllowParallel: true}
	a, err := readAttempt(state)
	if err != nil {
		return result, fwk.AsStatus(err)
	}
	if a == nil || len(a.all()) == 0 {
		return result, fwk.NewStatus(fwk.Skip)
	}
	return result, nil
}

// PreBind writes what Reserve decided: the allocations, and the pod as a consumer of its claims. Then it waits for
// the binding conditions of the devices. After an error the pod is requeued and Unreserve cleans up.
func (p *Plugin) PreBind(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodeName string) *fwk.Status {
	a, err := readAttempt(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if a == nil {
		return nil
	}
	if variant.BindsLate {
		select {
		case <-time.After(lateBinding):
		case <-ctx.Done():
		}
	}
	for _, c := range a.claims {
		if isRemembered(pod, c.object) {
			continue
		}
		if resourceclaim.IsReservedForPod(pod, c.object, false) || fault.ComparesConsumerNames && isReservedForName(pod, c.object) {
			if fault.StopsAtReservations {
				break
			}
			continue
		}
		if err := p.bind(ctx, pod, c); err != nil {
			return fwk.AsStatus(err)
		}
	}
	if a.extended != nil && a.extended.claim != nil {
		if err := p.bindExtended(ctx, pod, a.extended); err != nil {
			return fwk.AsStatus(err)
		}
	}
	if err := p.waitForBinding(ctx, pod, nodeName, a.all()); err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}

// isReservedForName reports whether a claim is reserved for any pod with the name of a pod. Only a fault relies on it.
func isReservedForName(pod *corev1.Pod, claim *resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(claim.Status.ReservedFor, func(r resourceapi.ResourceClaimConsumerReference) bool { return r.Name == pod.Name })
}

// bind writes the status of one of the pod's claims. Afterwards the claim counts as allocated through the assumed
// claim of the manager, and is no longer in flight.
func (p *Plugin) bind(ctx context.Context, pod *corev1.Pod, c *claim) error {
	updated, err := p.reserveClaim(ctx, pod, c)
	if err != nil {
		return err
	}
	c.object = updated
	if err := p.dra.ResourceClaims().AssumeClaimAfterAPICall(updated); err != nil {
		// The manager has a newer version, or the claim is deleted. That state takes precedence.
		klog.FromContext(ctx).V(5).Info("claim was not assumed", "pod", klog.KObj(pod), "claim", klog.KObj(updated), "err", err)
	}
	p.clearPending(c, updated)
	return nil
}

// reserveClaim writes the allocation that was chosen for a claim, if any, and reserves the claim for the pod: in one
// update or, as a variant of the scheduler does, in two.
func (p *Plugin) reserveClaim(ctx context.Context, pod *corev1.Pod, c *claim) (*resourceapi.ResourceClaim, error) {
	updated, err := p.writeReservation(ctx, pod, c.object, c.chosen)
	if err == nil && variant.ReservesSeparately && c.chosen != nil {
		return p.writeReservation(ctx, pod, updated, nil)
	}
	return updated, err
}

// lateBinding is how long a variant of the scheduler waits before it writes an
// allocation.
const lateBinding = 2 * time.Second

const (
	// A new claim reaches the manager through its informer.
	assumeInterval = 50 * time.Millisecond
	assumeTimeout  = 2 * time.Minute
)

// bindExtended creates the claim for extended resources and writes its status. It writes to the pod's status which
// container uses which request, which the kubelet reads.
func (p *Plugin) bindExtended(ctx context.Context, pod *corev1.Pod, e *extended) error {
	created, err := p.createClaim(ctx, e.claim.object)
	if err != nil {
		return err
	}
	e.created = true
	e.claim.object = created
	updated, err := p.reserveClaim(ctx, pod, e.claim)
	if err != nil {
		return err
	}
	e.claim.object = updated
	// The claim stays in flight until the manager has seen it. Otherwise its devices would appear free.
	err = wait.PollUntilContextTimeout(ctx, assumeInterval, assumeTimeout, true, func(context.Context) (bool, error) {
		return !errors.Is(p.dra.ResourceClaims().AssumeClaimAfterAPICall(updated), assumecache.ErrNotFound), nil
	})
	if err != nil {
		return fmt.Errorf("wait until resourceclaim %s is seen: %w", klog.KObj(updated), err)
	}
	p.clearPending(e.claim, updated)
	status := pod.Status.DeepCopy()
	status.ExtendedResourceClaimStatus = &corev1.PodExtendedResourceClaimStatus{
		ResourceClaimName: updated.Name,
		RequestMappings:   e.mappings,
	}
	if err := schedutil.PatchPodStatus(ctx, p.client, pod.Name, pod.Namespace, &pod.Status, status); err != nil {
		return fmt.Errorf("write the claim for extended resources to the status of pod %s: %w", klog.KObj(pod), err)
	}
	return nil
}

// countCreated updates the same metric as kube-scheduler.
func countCreated(err error) {
	status := "success"
	if err != nil {
		status = "failure"
	}
	metrics.ResourceClaimCreatesTotal.WithLabelValues(status, "false", "", "Pod").Inc()
}
