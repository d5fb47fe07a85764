// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionapi "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

var policiesOf = admissionapi.SchemeGroupVersion.WithResource("validatingadmissionpolicies")

// updateStatus imitates an update of a claim's status. It returns an error if an
// admission policy or the API validation rejects the update.
func (c *Cluster) updateStatus(old, claim *resourceapi.ResourceClaim) error {
	c.keepForStatus(old, claim)
	if err := c.deniedByPolicy(claim); err != nil {
		return err
	}
	if err := c.deniedAdminStatus(claim); err != nil {
		return err
	}
	c.dropDeallocated(old, claim)
	if err := c.validateDevices(claim); err != nil {
		return err
	}
	return c.validateAllocation(old, claim)
}

// The admission policies of specs have a rule for the claim whose status must not change
// in any way, and may have another one for a pod that must not be bound, or for a claim
// whose consumers must not be removed.

// deniedByPolicy returns an error if an admission policy rejects every status update of a
// claim.
func (c *Cluster) deniedByPolicy(claim *resourceapi.ResourceClaim) error {
	return c.denied("resourceclaims/status", claim, byFirstRule)
}

// deniedRelease returns an error if an admission policy rejects that consumers of a claim
// are removed.
func (c *Cluster) deniedRelease(claim *resourceapi.ResourceClaim) error {
	return c.denied("resourceclaims/status", claim, byAnyRule)
}

// deniedController returns an error if an admission policy rejects status updates of a claim by
// kube-controller-manager.
func (c *Cluster) deniedController(claim *resourceapi.ResourceClaim) error {
	return errors.Join(c.deniedByPolicy(claim), c.denied("resourceclaims/status", claim, byAnyRuleForUsers))
}

// deniedBinding returns an error if an admission policy rejects that a pod is bound.
func (c *Cluster) deniedBinding(pod *corev1.Pod) error {
	return c.denied("pods/binding", pod, byAnyRule)
}

// byFirstRule selects the first rule of a policy, byAnyRule all rules of policies that are for
// all users, and byAnyRuleForUsers those of policies that are for some users.
func byFirstRule(_ *admissionapi.ValidatingAdmissionPolicy, rule int) bool { return rule == 0 }
func byAnyRule(p *admissionapi.ValidatingAdmissionPolicy, _ int) bool      { return !isForUsers(p) }
func byAnyRuleForUsers(p *admissionapi.ValidatingAdmissionPolicy, _ int) bool {
	return isForUsers(p)
}

func isForUsers(p *admissionapi.ValidatingAdmissionPolicy) bool {
	return strings.Contains(p.Spec.Validations[0].Expression, "request.userInfo")
}

// denied returns an error if an admission policy rejects a request because of one of its rules
// that count.
func (c *Cluster) denied(resource string, object metav1.Object, counts func(policy *admissionapi.ValidatingAdmissionPolicy, rule int) bool) error {
	all, err := shared[admissionapi.ValidatingAdmissionPolicy](c, policiesOf, "ValidatingAdmissionPolicy")
	if err != nil {
		return err
	}
	for _, policy := range all {
		match := policy.Spec.MatchConstraints
		for i, rule := range match.ResourceRules {
			if !counts(policy, i) {
				continue
			}
			if match.NamespaceSelector.MatchLabels[corev1.LabelMetadataName] == object.GetNamespace() && slices.Contains(rule.Resources, resource) && slices.Contains(rule.ResourceNames, object.GetName()) {
				return apierrors.NewForbidden(schema.ParseGroupResource(resource), object.GetName(), fmt.Errorf("ValidatingAdmissionPolicy %s denied the request", policy.Name))
			}
		}
	}
	return nil
}

// dropDeallocated removes the reported status of devices that the claim had
// until this update, as the API server does.
func (c *Cluster) dropDeallocated(old, claim *resourceapi.ResourceClaim) {
	if c.Mistakes.StoresAnyStatus {
		return
	}
	claim.Status.Devices = slices.DeleteFunc(claim.Status.Devices, func(d resourceapi.AllocatedDeviceStatus) bool {
		return isAllocated(old, d) && !isAllocated(claim, d)
	})
}

// validateDevices returns an error for a reported status of devices or shares
// that are not allocated to the claim.
func (c *Cluster) validateDevices(claim *resourceapi.ResourceClaim) error {
	reported := claim.Status.Devices
	for i, device := range reported {
		if !c.Mistakes.StoresAnyStatus && !isAllocated(claim, device) {
			return invalidClaim(claim, field.Invalid(field.NewPath("status", "devices").Index(i), device, "must be an allocated device in the claim"))
		}
		if c.Mistakes.MixesUpShares {
			reported[i].Conditions = reported[0].Conditions
		}
	}
	return nil
}

func isAllocated(claim *resourceapi.ResourceClaim, device resourceapi.AllocatedDeviceStatus) bool {
	return claim.Status.Allocation != nil && slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return r.Driver == device.Driver && r.Pool == device.Pool && r.Device == device.Device && string(ptr.Deref(r.ShareID, "")) == ptr.Deref(device.ShareID, "")
	})
}
