// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

var quotasOf = corev1.SchemeGroupVersion.WithResource("resourcequotas")

// charge adds what a new claim or pod requests to the usage of the quotas in its
// namespace. It returns an error if a quota is exceeded. Quotas that the API
// server has not observed yet do not count. A dry run does not change the usage.
func (c *Cluster) charge(object runtime.Object, dryRun bool) error {
	classes, classesErr := listOf[resourceapi.DeviceClass](c, classesOf, "DeviceClass")
	quotas, quotasErr := listOf[corev1.ResourceQuota](c, quotasOf, "ResourceQuota")
	charged, err := meta.Accessor(object)
	if err := errors.Join(classesErr, quotasErr, err); err != nil {
		return err
	}
	requested := map[corev1.ResourceName]int64{}
	switch object := object.(type) {
	case *resourceapi.ResourceClaim:
		requested = c.requestedDevices(object)
		c.addExtended(requested, object, classes)
	case *corev1.Pod:
		for name, amount := range extendedResources(object) {
			requested[corev1.DefaultResourceRequestsPrefix+name] = amount
		}
	}
	if len(requested) == 0 {
		return nil
	}
	for _, quota := range quotas {
		if quota.Namespace != charged.GetNamespace() || !c.due("observe quota", key(quota)) {
			continue
		}
		for name := range quota.Status.Hard {
			used, hard := quota.Status.Used[name], quota.Status.Hard[name]
			if used.Add(*resource.NewQuantity(requested[name], resource.DecimalSI)); used.Cmp(hard) > 0 {
				return apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), charged.GetName(), fmt.Errorf("exceeded quota: %s, %s", quota.Name, name))
			}
			quota.Status.Used[name] = used
		}
		if dryRun {
			continue
		}
		if err := c.update(quotasOf, quota); err != nil {
			return err
		}
	}
	return nil
}

// recount sets what the claims of a namespace use of its quotas by DeviceClass, as the quota
// controller does when a claim is removed. The usage of extended resources stays: no spec
// releases any.
func (c *Cluster) recount(namespace string) error {
	quotas, quotasErr := listOf[corev1.ResourceQuota](c, quotasOf, "ResourceQuota")
	left, leftErr := c.sharedClaims()
	if err := errors.Join(quotasErr, leftErr); err != nil {
		return err
	}
	requested := map[corev1.ResourceName]int64{}
	for _, claim := range left {
		if claim.Namespace != namespace {
			continue
		}
		for name, count := range c.requestedDevices(claim) {
			requested[name] += count
		}
	}
	for _, quota := range quotas {
		if quota.Namespace != namespace {
			continue
		}
		for name, used := range quota.Status.Used {
			count := requested[name]
			if miscount := c.Mistakes.MisrecountsQuotas; miscount != nil {
				count = miscount(used.Value(), count)
			}
			if strings.HasSuffix(string(name), corev1.ResourceClaimsPerClass) {
				quota.Status.Used[name] = *resource.NewQuantity(count, resource.DecimalSI)
			}
		}
		if err := c.update(quotasOf, quota); err != nil {
			return err
		}
	}
	return nil
}

// addExtended adds the extended resources that the devices of a claim provide. Those
// of the first claim for the extended resources of a pod are charged to the pod.
func (c *Cluster) addExtended(requested map[corev1.ResourceName]int64, claim *resourceapi.ResourceClaim, classes []*resourceapi.DeviceClass) {
	isOfPod := claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" && (c.Mistakes.ChargesNoExtended || !c.hasExtended(claim))
	if isOfPod && !c.Mistakes.ChargesExtendedTwice || c.Mistakes.ChargesClassesOnly {
		return
	}
	for _, class := range classes {
		if name := ptr.Deref(class.Spec.ExtendedResourceName, ""); name != "" {
			requested[corev1.ResourceName(corev1.DefaultResourceRequestsPrefix+name)] += requested[corev1.ResourceName(class.Name+corev1.ResourceClaimsPerClass)]
		}
	}
}

// hasExtended reports whether the pod that owns a claim for extended resources has another one.
func (c *Cluster) hasExtended(claim *resourceapi.ResourceClaim) bool {
	all, err := c.sharedClaims()
	owner := metav1.GetControllerOf(claim)
	return err == nil && owner != nil && slices.ContainsFunc(all, func(other *resourceapi.ResourceClaim) bool {
		return other.Name != claim.Name && metav1.IsControlledBy(other, &metav1.ObjectMeta{UID: owner.UID}) && other.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true"
	})
}

// requestedDevices returns the maximum number of devices that a claim requests, by
// DeviceClass. A request with subrequests counts as its largest subrequest.
func (c *Cluster) requestedDevices(claim *resourceapi.ResourceClaim) map[corev1.ResourceName]int64 {
	requested := map[corev1.ResourceName]int64{}
	for i, r := range claim.Spec.Devices.Requests {
		if i > 0 && c.Mistakes.ChargesFirstRequest {
			break
		}
		most := map[corev1.ResourceName]int64{}
		add := func(class string, mode resourceapi.DeviceAllocationMode, count int64) {
			if mode == resourceapi.DeviceAllocationModeAll && !c.Mistakes.ChargesOneForAll {
				count = resourceapi.AllocationResultsMaxSize
			}
			name := corev1.ResourceName(class + corev1.ResourceClaimsPerClass)
			if count = max(count, 1); c.Mistakes.ChargesEach {
				count += most[name]
			}
			most[name] = max(most[name], count)
		}
		if r.Exactly != nil && (!c.Mistakes.ChargesNoAdmins || !ptr.Deref(r.Exactly.AdminAccess, false)) {
			add(r.Exactly.DeviceClassName, r.Exactly.AllocationMode, r.Exactly.Count)
		}
		for i, subrequest := range r.FirstAvailable {
			if i == 0 || !c.Mistakes.ChargesFirst {
				add(subrequest.DeviceClassName, subrequest.AllocationMode, subrequest.Count)
			}
		}
		for name, count := range most {
			requested[name] += count
		}
	}
	return requested
}
