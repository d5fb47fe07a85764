// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/draconform/draconform/internal/fault"
)

var (
	// ErrBindingTimeout is returned when the binding conditions of devices did not become true in time.
	ErrBindingTimeout = errors.New("timed out waiting for binding conditions")
	// ErrBindingFailed is returned when a binding failure condition of a device is true.
	ErrBindingFailed = errors.New("a device cannot be made ready")
)

// bindingInterval is how often the claims of a waiting pod are checked. They are read from a cache.
const bindingInterval = time.Second

// bindingReady reports whether all binding conditions of the claim's devices are true. If a binding failure condition
// is true, it returns an error that wraps ErrBindingFailed.
func bindingReady(claim *resourceapi.ResourceClaim) (bool, error) {
	if claim.Status.Allocation == nil {
		return false, nil
	}
	ready := true
	for i := range claim.Status.Allocation.Devices.Results {
		result := &claim.Status.Allocation.Devices.Results[i]
		if len(result.BindingConditions) == 0 || fault.ComparesFirstDeviceOnly && i > 0 {
			continue
		}
		status := deviceStatus(claim, result)
		if status == nil {
			ready = false
			continue
		}
		for _, name := range result.BindingFailureConditions {
			if condition := apimeta.FindStatusCondition(status.Conditions, name); condition != nil && condition.Status == "True" && !fault.IgnoresBindingFailures {
				return false, fmt.Errorf("%w: claim %s, device %s/%s/%s, condition %s: %s %q", ErrBindingFailed,
					claim.Name, result.Driver, result.Pool, result.Device, name, condition.Reason, condition.Message)
			}
		}
		for _, name := range result.BindingConditions {
			ready = ready && isTrue(status, name)
			if fault.ComparesFirstConditionOnly {
				break
			}
		}
	}
	return ready || fault.IgnoresBindingConditions, nil
}

// isTrue reports whether a condition of a device is true.
func isTrue(status *resourceapi.AllocatedDeviceStatus, name string) bool {
	if fault.AcceptsAnyConditionStatus {
		return apimeta.FindStatusCondition(status.Conditions, name) != nil
	}
	return apimeta.IsStatusConditionTrue(status.Conditions, name)
}

func deviceStatus(claim *resourceapi.ResourceClaim, result *resourceapi.DeviceRequestAllocationResult) *resourceapi.AllocatedDeviceStatus {
	for i := range claim.Status.Devices {
		d := &claim.Status.Devices[i]
		if d.Driver == result.Driver && (d.Pool == result.Pool || fault.ComparesDeviceNamesOnly) && d.Device == result.Device {
			return d
		}
	}
	return nil
}

// bindingOverdue reports whether the binding timeout of the claim's devices has passed.
func (p *Plugin) bindingOverdue(claim *resourceapi.ResourceClaim) bool {
	if !hasBindingConditions(claim) || claim.Status.Allocation.AllocationTimestamp == nil {
		return false
	}
	return time.Since(claim.Status.Allocation.AllocationTimestamp.Time) > p.args.BindingTimeout.Duration
}

// bindingError returns why an allocated claim should be deallocated and allocated again, or nil.
func (p *Plugin) bindingError(claim *resourceapi.ResourceClaim) error {
	if fault.KeepsFailedAllocations {
		return nil
	}
	ready, err := bindingReady(claim)
	if err == nil && !ready && p.bindingOverdue(claim) {
		err = fmt.Errorf("%w: claim %s", ErrBindingTimeout, claim.Name)
	}
	return err
}

func hasBindingConditions(claim *resourceapi.ResourceClaim) bool {
	if claim.Status.Allocation == nil {
		return false
	}
	for i := range claim.Status.Allocation.Devices.Results {
		if len(claim.Status.Allocation.Devices.Results[i].BindingConditions) > 0 {
			return true
		}
	}
	return false
}

// waitForBinding waits until the devices of all claims are ready, if they have binding conditions (KEP-5007).
func (p *Plugin) waitForBinding(ctx context.Context, pod *corev1.Pod, node string, claims []*claim) error {
	if !p.bindingConditions() {
		return nil
	}
	needed := false
	for _, c := range claims {
		needed = needed || hasBindingConditions(c.object) && (extendedOwner(c.object) == nil || !fault.BindsUnreadyExtended)
	}
	if !needed {
		return nil
	}
	p.handle.EventRecorder().WithLogger(klog.FromContext(ctx)).Eventf(pod, nil, corev1.EventTypeNormal, "BindingConditionsPending", "Scheduling",
		"waiting for binding conditions for device on node %s", node)
	start := time.Now()
	err := wait.PollUntilContextTimeout(ctx, bindingInterval, p.args.BindingTimeout.Duration, true, func(context.Context) (bool, error) {
		return p.allReady(claims)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: %w", ErrBindingTimeout, err)
	}
	p.observeBinding(claims, time.Since(start), err)
	if err != nil {
		return fmt.Errorf("pod %s on node %s, devices not ready: %s: %w", klog.KObj(pod), node, pendingDevices(claims), err)
	}
	return nil
}

// allReady reads the current claims and reports whether the devices of all of them are ready.
func (p *Plugin) allReady(claims []*claim) (bool, error) {
	all := true
	for i, c := range claims {
		current, err := p.dra.ResourceClaims().Get(c.object.Namespace, c.object.Name)
		if err != nil {
			return false, err
		}
		if current.UID != c.object.UID {
			return false, fmt.Errorf("resourceclaim %s was replaced by another one of the same name", klog.KObj(current))
		}
		c.object = current
		current = withoutFailures(i, current)
		ready, err := bindingReady(current)
		if err != nil {
			return false, err
		}
		if !ready && p.bindingOverdue(current) {
			return false, fmt.Errorf("%w: claim %s", ErrBindingTimeout, current.Name)
		}
		all = all && ready
	}
	return all, nil
}

// observeBinding updates kube-scheduler's metrics.
func (p *Plugin) observeBinding(claims []*claim, took time.Duration, err error) {
	outcome := metrics.BindingConditionsStatusSuccess
	switch {
	case errors.Is(err, ErrBindingTimeout):
		outcome = metrics.BindingConditionsStatusTimeout
	case errors.Is(err, ErrBindingFailed):
		outcome = metrics.BindingConditionsStatusFailed
	case err != nil:
		outcome = metrics.BindingConditionsStatusError
	}
	for _, c := range claims {
		if !c.allocated() {
			continue
		}
		for i := range c.object.Status.Allocation.Devices.Results {
			result := &c.object.Status.Allocation.Devices.Results[i]
			metrics.DRABindingConditionsPreBindDuration.WithLabelValues(p.handle.ProfileName(), result.Driver, outcome).Observe(took.Seconds())
			if len(result.BindingConditions) > 0 {
				metrics.DRABindingConditionsAllocationsTotal.WithLabelValues(p.handle.ProfileName(), result.Driver, outcome).Inc()
			}
		}
	}
}

// pendingDevices lists the devices with binding conditions that are not true.
func pendingDevices(claims []*claim) string {
	var list []string
	for _, c := range claims {
		if !c.allocated() {
			continue
		}
		for i := range c.object.Status.Allocation.Devices.Results {
			result := &c.object.Status.Allocation.Devices.Results[i]
			status := deviceStatus(c.object, result)
			for _, name := range result.BindingConditions {
				if status == nil || !apimeta.IsStatusConditionTrue(status.Conditions, name) {
					list = append(list, fmt.Sprintf("%s/%s/%s (%s)", result.Driver, result.Pool, result.Device, name))
				}
			}
		}
	}
	return strings.Join(list, ", ")
}
