// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/capacity"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// request compiles one request. It returns false if the request has an error.
func (c *compiler) request(claim int, api *resourceapi.DeviceRequest) bool {
	at := len(c.plan.Requests)
	c.plan.Requests = append(c.plan.Requests, Request{Claim: claim, API: api, First: len(c.plan.Alternatives), Prioritized: len(api.FirstAvailable) > 0})
	request := &c.plan.Requests[at]
	request.Err = c.unsupported(c.plan.Claims[claim].API, api)
	ok := request.Err == nil
	if ok && request.Prioritized {
		for i := range api.FirstAvailable {
			sub := &api.FirstAvailable[i]
			ok = ok && c.alternative(claim, at, api, resourceapi.ExactDeviceRequest{
				DeviceClassName: sub.DeviceClassName, Selectors: sub.Selectors, AllocationMode: sub.AllocationMode, Count: sub.Count,
				Tolerations: sub.Tolerations, Capacity: sub.Capacity, DerivedAttributes: sub.DerivedAttributes,
			}, sub.Name)
		}
	} else if ok {
		ok = c.alternative(claim, at, api, *api.Exactly, "")
	}
	request.End = len(c.plan.Alternatives)
	return ok
}

// unsupported returns why a request is not supported, before its alternatives are compiled.
func (c *compiler) unsupported(claim *resourceapi.ResourceClaim, api *resourceapi.DeviceRequest) error {
	if !c.features.PrioritizedList && len(api.FirstAvailable) > 0 {
		return fmt.Errorf("claim %s, request %s: has subrequests, but the DRAPrioritizedList feature is disabled", ClaimName(claim), api.Name)
	}
	if !c.features.ConsumableCapacity {
		if api.Exactly != nil && api.Exactly.Capacity != nil {
			return fmt.Errorf("claim %s, request %s: has capacity requests, but the DRAConsumableCapacity feature is disabled", ClaimName(claim), api.Name)
		}
		for i := range api.FirstAvailable {
			if api.FirstAvailable[i].Capacity != nil {
				return fmt.Errorf("claim %s, subrequest %s: has capacity requests, but the DRAConsumableCapacity feature is disabled",
					ClaimName(claim), api.FirstAvailable[i].Name)
			}
		}
	}
	if api.Exactly == nil && len(api.FirstAvailable) == 0 {
		return fmt.Errorf("claim %s, request %s: neither exactly nor firstAvailable is set (unsupported request type?)", ClaimName(claim), api.Name)
	}
	return nil
}

// alternative compiles one alternative. It returns false if the alternative has an error.
func (c *compiler) alternative(claim, request int, parent *resourceapi.DeviceRequest, api resourceapi.ExactDeviceRequest, sub string) bool {
	a := Alternative{Claim: claim, Request: request, Name: parent.Name, Result: parent.Name, Tolerations: api.Tolerations}
	if sub != "" {
		a.Name, a.Result = sub, parent.Name+"/"+sub
	}
	if first := c.plan.Claims[claim].API.Spec.Devices.Requests[0].Exactly; fault.SharesTolerations && first != nil {
		a.Tolerations = first.Tolerations
	}
	a.Admin = ptr.Deref(api.AdminAccess, false)
	if first := c.plan.Claims[claim].API.Spec.Devices.Requests[0].Exactly; fault.AdminForAllRequests && first != nil {
		a.Admin = ptr.Deref(first.AdminAccess, false)
	}
	if fault.ToleratesBySubrequestName || fault.TakesRequestsForTheSame || fault.TakesCapacityOfFirstClaim {
		c.mistake(&a, &api)
	}
	if a.Err = c.fill(&a, &api); a.Err == nil {
		if fault.IgnoresCounts && sub != "" {
			a.Count = min(a.Count, 1)
		}
		c.checks(&a, &api)
		c.applyConstraints(&a, parent.Name)
		c.entry(&a, parent.Name)
	}
	c.plan.Static = c.plan.Static && !a.All
	c.plan.Alternatives = append(c.plan.Alternatives, a)
	return a.Err == nil
}

// fill validates the request in the same order as upstream, so that it finds the same error first.
func (c *compiler) fill(a *Alternative, api *resourceapi.ExactDeviceRequest) error {
	claim := objectName{c.plan.Claims[a.Claim].API}
	if len(api.DerivedAttributes) > 0 {
		if !c.features.DerivedAttributes {
			return fmt.Errorf("claim %s, request %s: cannot handle request with derived attributes, the feature is disabled", claim, a.Name)
		}
		a.Derived = make(map[resourceapi.FullyQualifiedName]*selector.Derived, len(api.DerivedAttributes))
		for i := range api.DerivedAttributes {
			a.Derived[api.DerivedAttributes[i].Name] = c.memo.Derived(api.DerivedAttributes[i].Expression)
		}
	}
	for i := range api.Selectors {
		if api.Selectors[i].CEL == nil {
			return fmt.Errorf("claim %s, request %s, selector #%d: CEL expression empty (unsupported selector type?)", claim, a.Name, i)
		}
	}
	if !c.features.AdminAccess && api.AdminAccess != nil {
		return fmt.Errorf("claim %s, request %s: admin access is requested, but the feature is disabled", claim, a.Name)
	}
	if api.DeviceClassName == "" {
		return fmt.Errorf("claim %s, request %s: missing device class name (unsupported request type?)", claim, a.Name)
	}
	class, err := c.classes.Get(api.DeviceClassName)
	if err != nil {
		return fmt.Errorf("claim %s, request %s: could not retrieve device class %s: %w", claim, a.Name, api.DeviceClassName, err)
	}
	if fault.KeepsFirstClasses {
		class = firstVersion(class)
	}
	a.Class = class
	for i := range class.Spec.Selectors {
		if class.Spec.Selectors[i].CEL == nil {
			return fmt.Errorf("class %s, selector #%d: CEL expression empty (unsupported selector type?)", class.Name, i)
		}
	}
	switch api.AllocationMode {
	case resourceapi.DeviceAllocationModeExactCount:
		a.Count = int(api.Count)
		if int64(a.Count) != api.Count {
			return fmt.Errorf("claim %s, request %s: exact count %d is too large", claim, a.Name, api.Count)
		}
	case resourceapi.DeviceAllocationModeAll:
		a.All = true
	default:
		return fmt.Errorf("claim %s, request %s: unsupported count mode %s", claim, a.Name, api.AllocationMode)
	}
	return nil
}

func (c *compiler) checks(a *Alternative, api *resourceapi.ExactDeviceRequest) {
	start := len(c.checkList)
	add := func(selectors []resourceapi.DeviceSelector, ofClass bool) {
		if fault.ReadsFirstSelectorOnly {
			selectors = selectors[:min(1, len(selectors))]
		}
		if fault.ReadsTwoSelectors {
			selectors = selectors[:min(2, len(selectors))]
		}
		for i := range selectors {
			c.checkList = append(c.checkList, Check{c.memo.Selector(selectors[i].CEL.Expression), ofClass, i})
		}
	}
	if !fault.IgnoresClasses && (!fault.IgnoresClassesOfLaterRequests || a.Request == 0) {
		add(a.Class.Spec.Selectors, true)
	}
	if !fault.IgnoresSelectors {
		add(api.Selectors, false)
	}
	a.Checks = c.checkList[start:len(c.checkList):len(c.checkList)]
	if c.features.ConsumableCapacity {
		var requests capacity.Requests
		if api.Capacity != nil {
			requests = api.Capacity.Requests
		}
		a.Requirement = c.memo.Requirement(requests, c.features.FractionalCapacityRange)
	}
}

func (c *compiler) applyConstraints(a *Alternative, parent string) {
	constraints := c.plan.Claims[a.Claim].Constraints
	if len(constraints) == 0 {
		return
	}
	if c.applies == nil {
		c.applies = make([]bool, 0, cap(c.plan.Alternatives)*len(constraints))
	}
	start := len(c.applies)
	for i := range constraints {
		names := constraints[i].requests
		if fault.ReadsTwoNames {
			names = names[:min(2, len(names))]
		}
		applies := len(names) == 0 || slices.Contains(names, parent) && (!fault.IgnoresConstraintOnList || a.Result == parent) ||
			slices.Contains(names, a.Result) && (!fault.IgnoresConstraintOnSubrequest || a.Result == parent)
		if fault.ComparesSubrequestNamesOnly && a.Result != parent {
			applies = applies || slices.ContainsFunc(names, func(name string) bool { return withoutList(name) == withoutList(a.Result) })
		}
		if fault.ConstrainsByBeginnings {
			applies = applies || slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(parent, name) })
		}
		if fault.ConstrainsFirstRequestOnly && a.Request > 0 || fault.AppliesFirstConstraintOnly && i > 0 || fault.AppliesTwoConstraints && i > 1 {
			applies = false
		}
		c.applies = append(c.applies, applies)
		a.Constrained = a.Constrained || applies
	}
	a.Constraints = c.applies[start:len(c.applies):len(c.applies)]
}
