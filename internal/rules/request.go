// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rules contains the rules of Dynamic Resource Allocation that
// schedulers, drivers and API objects must follow, as pure functions on API
// objects.
//
// Each function implements what the KEP or the API field in its comment
// specifies. Where releases of Kubernetes differ from that, see [Quirks]. The
// package shares no code with any allocator, so that checks of allocations are
// independent of the code that made them.
package rules

import (
	"context"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
)

// Quirks are known differences between releases of Kubernetes and what is
// specified. The zero value has none.
type Quirks struct {
	// ScalarAttributes states that lists of values do not count, as without the
	// feature DRAListTypeAttributes.
	ScalarAttributes bool
	// ExactCapacityNames states that a request must name a capacity exactly as
	// the device does, with or without a domain. All releases up to 1.37 do
	// that.
	ExactCapacityNames bool
}

// Device is a device with the name of its driver, which is the default domain
// of its attributes and capacities.
type Device struct {
	Driver string
	*resourceapi.Device
}

// Alternative is one way to satisfy a request: the request itself, or one of
// its subrequests (KEP-4816; API DeviceRequest.exactly and firstAvailable).
type Alternative struct {
	// Name is the name in allocation results: the name of the request, or
	// "<request>/<subrequest>".
	Name      string
	ClassName string
	Selectors []resourceapi.DeviceSelector
	// Mode is the allocation mode. Count is the number of devices unless Mode
	// is All.
	Mode  resourceapi.DeviceAllocationMode
	Count int64
	// AdminAccess is always false for subrequests (KEP-5018).
	AdminAccess bool
	Tolerations []resourceapi.DeviceToleration
	// Capacity contains the requested amounts (KEP-5075).
	Capacity map[resourceapi.QualifiedName]resource.Quantity
	// Derived are the attributes that the request computes (KEP-6080).
	Derived []resourceapi.DeviceDerivedAttribute
}

// All reports whether the alternative requires all devices that match.
func (a *Alternative) All() bool { return a.Mode == resourceapi.DeviceAllocationModeAll }

// Alternatives returns the alternatives of a request in the order of
// preference.
func Alternatives(request *resourceapi.DeviceRequest) []Alternative {
	if e := request.Exactly; e != nil {
		return []Alternative{{
			Name: request.Name, ClassName: e.DeviceClassName, Selectors: e.Selectors, Mode: e.AllocationMode, Count: e.Count,
			AdminAccess: ptr.Deref(e.AdminAccess, false), Tolerations: e.Tolerations,
			Capacity: ptr.Deref(e.Capacity, resourceapi.CapacityRequirements{}).Requests, Derived: e.DerivedAttributes,
		}}
	}
	var all []Alternative
	for _, s := range request.FirstAvailable {
		all = append(all, Alternative{
			Name: request.Name + "/" + s.Name, ClassName: s.DeviceClassName, Selectors: s.Selectors, Mode: s.AllocationMode, Count: s.Count,
			Tolerations: s.Tolerations,
			Capacity:    ptr.Deref(s.Capacity, resourceapi.CapacityRequirements{}).Requests, Derived: s.DerivedAttributes,
		})
	}
	return all
}

// Applies reports whether a constraint or a configuration that lists requests
// applies to a result, given by its request name. The name of a request
// includes its subrequests, and an empty list includes all requests (API
// DeviceConstraint.requests, DeviceClaimConfiguration.requests).
func Applies(requests []string, name string) bool {
	request, _, _ := strings.Cut(name, "/")
	return len(requests) == 0 || slices.Contains(requests, request) || slices.Contains(requests, name)
}

// Configuration returns the configuration of an alternative: first that of its
// class, which may be nil, and then that of the claim as far as it applies
// (KEP-4381, KEP-4816; API DeviceAllocationResult.config). The entries do not
// list requests.
func Configuration(class *resourceapi.DeviceClass, claim *resourceapi.ResourceClaim, name string) []resourceapi.DeviceAllocationConfiguration {
	var all []resourceapi.DeviceAllocationConfiguration
	if class != nil {
		for _, c := range class.Spec.Config {
			all = append(all, resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClass, DeviceConfiguration: c.DeviceConfiguration})
		}
	}
	for _, c := range claim.Spec.Devices.Config {
		if Applies(c.Requests, name) {
			all = append(all, resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: c.DeviceConfiguration})
		}
	}
	return all
}

// Selects reports whether a compiled selector selects a device (KEP-4381; API
// CELDeviceSelector.expression). It returns the error of the compilation or of
// the evaluation.
func Selects(ctx context.Context, selector cel.CompilationResult, device Device) (bool, error) {
	if selector.Error != nil {
		return false, selector.Error
	}
	selected, _, err := selector.DeviceMatches(ctx, device.input())
	return selected, err
}

func (d Device) input() cel.Device {
	return cel.Device{Driver: d.Driver, AllowMultipleAllocations: d.AllowMultipleAllocations, Attributes: d.Attributes, Capacity: d.Capacity}
}

// TaintedBy reports whether a DeviceTaintRule adds its taint to a device: all
// criteria of its selector count, and without a selector it selects nothing
// (KEP-5055; API DeviceTaintRuleSpec.deviceSelector, DeviceTaintSelector).
func TaintedBy(rule *resourceapi.DeviceTaintRule, driver, pool, device string) bool {
	s := rule.Spec.DeviceSelector
	return s != nil && ptr.Deref(s.Driver, driver) == driver && ptr.Deref(s.Pool, pool) == pool && ptr.Deref(s.Device, device) == device
}

// Untolerated returns the taints of a device that exclude it from a request
// with these tolerations (KEP-5055; API DeviceTaint.effect, DeviceToleration).
// An empty key or effect of a toleration includes all.
func Untolerated(taints []resourceapi.DeviceTaint, tolerations []resourceapi.DeviceToleration) []resourceapi.DeviceTaint {
	var all []resourceapi.DeviceTaint
	for _, taint := range taints {
		excludes := taint.Effect == resourceapi.DeviceTaintEffectNoSchedule || taint.Effect == resourceapi.DeviceTaintEffectNoExecute
		tolerated := slices.ContainsFunc(tolerations, func(t resourceapi.DeviceToleration) bool { return tolerates(t, taint) })
		if excludes && !tolerated {
			all = append(all, taint)
		}
	}
	return all
}

func tolerates(t resourceapi.DeviceToleration, taint resourceapi.DeviceTaint) bool {
	effect := t.Effect == "" || t.Effect == taint.Effect
	key := t.Key == "" || t.Key == taint.Key
	value := t.Operator == resourceapi.DeviceTolerationOpExists ||
		(t.Operator == "" || t.Operator == resourceapi.DeviceTolerationOpEqual) && t.Value == taint.Value
	return effect && key && value
}
