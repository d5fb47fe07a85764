// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// rendered verifies that results contain exactly what the choices require.
func (r *Rules) rendered(choices []Choice, results []resourceapi.AllocationResult) error {
	var errs []error
	shares := map[types.UID]bool{}
	for claim, result := range results {
		own := slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool { return c.Claim != claim })
		for i, choice := range own {
			if err := r.device(choice, result.Devices.Results[i], shares); err != nil {
				errs = append(errs, fmt.Errorf("claim %d, result %d: %w", claim, i, err))
			}
		}
		if want := r.configuration(claim, own); !equality.Semantic.DeepEqual(want, result.Devices.Config) {
			errs = append(errs, fmt.Errorf("claim %d: configuration is %v, want %v", claim, result.Devices.Config, want))
		}
		if want := r.nodeSelector(own); !equality.Semantic.DeepEqual(want, result.NodeSelector) {
			errs = append(errs, fmt.Errorf("claim %d: node selector is %v, want %v", claim, result.NodeSelector, want))
		}
	}
	return errors.Join(errs...)
}

func (r *Rules) device(choice Choice, result resourceapi.DeviceRequestAllocationResult, shares map[types.UID]bool) error {
	subrequest, device := r.Subrequest(choice), choice.Device
	want := resourceapi.DeviceRequestAllocationResult{
		Request: subrequest.Name, Driver: device.pool.driver, Pool: device.pool.name, Device: device.Name,
		Tolerations: subrequest.Tolerations, SkipNodeOperations: device.slice.Spec.SkipNodeOperations,
		// Verified below.
		ShareID: result.ShareID, ConsumedCapacity: result.ConsumedCapacity,
	}
	if subrequest.AdminAccess {
		want.AdminAccess = ptr.To(true)
	}
	if r.features.DeviceBindingAndStatus {
		want.BindingConditions, want.BindingFailureConditions = device.BindingConditions, device.BindingFailureConditions
	}
	var err error
	if !equality.Semantic.DeepEqual(want, result) {
		err = fmt.Errorf("is %v, want %v", &result, &want)
	}
	return errors.Join(err, r.shareID(device, result.ShareID, shares), r.consumedCapacity(subrequest, device, result))
}

// shareID verifies that each share of a device has a unique UUID.
func (r *Rules) shareID(device *Device, id *types.UID, shares map[types.UID]bool) error {
	if !r.multiple(device) {
		if id != nil {
			return errors.New("has a share ID, but the device is not shared")
		}
		return nil
	}
	if id == nil {
		return errors.New("has no share ID")
	}
	if _, err := uuid.Parse(string(*id)); err != nil || shares[*id] {
		return fmt.Errorf("share ID %q is not a UUID of its own", *id)
	}
	shares[*id] = true
	return nil
}

func (r *Rules) consumedCapacity(subrequest *Subrequest, device *Device, result resourceapi.DeviceRequestAllocationResult) error {
	if !r.multiple(device) {
		if result.ConsumedCapacity != nil {
			return errors.New("consumes capacity, but the device is not shared")
		}
		return nil
	}
	uses, err := r.needs(subrequest, device)
	if err != nil {
		return err
	}
	if len(uses) != len(result.ConsumedCapacity) {
		return fmt.Errorf("consumes %d capacities, want %d", len(result.ConsumedCapacity), len(uses))
	}
	for _, use := range uses {
		if got, found := result.ConsumedCapacity[use.Name]; !found || rules.Exact(got).Cmp(use.Amount) != 0 {
			return fmt.Errorf("consumes %s of capacity %s, want %s", got.String(), use.Name, use.Amount.FloatString(3))
		}
	}
	return nil
}

// configuration returns the configuration of class and claim for the choices:
// first that of each class once, for the requests with that class, then that of
// the claim as far as it applies to chosen requests or alternatives. A
// configuration that applies to all requests does not list them.
func (r *Rules) configuration(claim int, choices []Choice) []resourceapi.DeviceAllocationConfiguration {
	chosen := r.chosenSubrequests(claim, choices)
	var configs []resourceapi.DeviceAllocationConfiguration
	done := map[string]bool{}
	for i, subrequest := range chosen {
		if subrequest.class == nil || done[subrequest.class.Name] {
			continue
		}
		done[subrequest.class.Name] = true
		requests := []string{}
		for _, other := range chosen[i:] {
			if other.class == subrequest.class {
				requests = append(requests, other.Name)
			}
		}
		for _, config := range subrequest.class.Spec.Config {
			configs = append(configs, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClass, Requests: requests, DeviceConfiguration: config.DeviceConfiguration,
			})
		}
	}
	for _, config := range r.problem.Claims[claim].Spec.Devices.Config {
		if len(config.Requests) == 0 || slices.ContainsFunc(chosen, func(a *Subrequest) bool { return rules.Applies(config.Requests, a.Name) }) {
			configs = append(configs, resourceapi.DeviceAllocationConfiguration{
				Source: resourceapi.AllocationConfigSourceClaim, Requests: config.Requests, DeviceConfiguration: config.DeviceConfiguration,
			})
		}
	}
	for i, config := range configs {
		if !slices.ContainsFunc(chosen, func(a *Subrequest) bool { return !rules.Applies(config.Requests, a.Name) }) {
			configs[i].Requests = nil
		}
	}
	return configs
}

// chosenSubrequests returns the chosen subrequest of each request of the claim.
func (r *Rules) chosenSubrequests(claim int, choices []Choice) []*Subrequest {
	var chosen []*Subrequest
	for request, alternatives := range r.requests[claim] {
		subrequest := alternatives[0]
		for _, choice := range choices {
			if choice.Request == request {
				subrequest = r.Subrequest(choice)
			}
		}
		chosen = append(chosen, subrequest)
	}
	return chosen
}

// nodeSelector returns where the devices can be used. If a device is local to
// this node or binds to it, the selector is this node. Otherwise it is the
// conjunction of the selectors of the devices.
func (r *Rules) nodeSelector(choices []Choice) *corev1.NodeSelector {
	var term corev1.NodeSelectorTerm
	for _, choice := range choices {
		device := choice.Device
		name, selector := device.slice.Spec.NodeName, device.slice.Spec.NodeSelector
		if ptr.Deref(device.slice.Spec.PerDeviceNodeSelection, false) {
			name, selector = device.NodeName, device.NodeSelector
		}
		if name != nil || ptr.Deref(device.BindsToNode, false) {
			return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{r.node.Name}},
			}}}}
		}
		if selector != nil && len(selector.NodeSelectorTerms) > 0 {
			term.MatchFields = union(term.MatchFields, selector.NodeSelectorTerms[0].MatchFields)
			term.MatchExpressions = union(term.MatchExpressions, selector.NodeSelectorTerms[0].MatchExpressions)
		}
	}
	if len(term.MatchFields)+len(term.MatchExpressions) == 0 {
		return nil
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
}

// union appends the requirements that are missing. The order of values does not
// matter.
func union(all, more []corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
	sorted := func(r corev1.NodeSelectorRequirement) corev1.NodeSelectorRequirement {
		r.Values = slices.Sorted(slices.Values(r.Values))
		return r
	}
	for _, requirement := range more {
		if !slices.ContainsFunc(all, func(r corev1.NodeSelectorRequirement) bool {
			return equality.Semantic.DeepEqual(sorted(r), sorted(requirement))
		}) {
			all = append(all, requirement)
		}
	}
	return all
}
