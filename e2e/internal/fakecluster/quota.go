// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
)

var quotasOf = corev1.SchemeGroupVersion.WithResource("resourcequotas")

// charge adds the devices that a claim requests to the usage of the quotas in
// its namespace. It returns an error if a quota is exceeded. Quotas that the
// API server has not observed yet do not count. A dry run does not change the
// usage.
func (c *Cluster) charge(claim *resourceapi.ResourceClaim, dryRun bool) error {
	quotas, err := listOf[corev1.ResourceQuota](c, quotasOf, "ResourceQuota")
	if err != nil {
		return err
	}
	requested := c.requestedDevices(claim)
	for _, quota := range quotas {
		if quota.Namespace != claim.Namespace || !c.due("observe quota", key(quota)) {
			continue
		}
		for name := range quota.Status.Hard {
			used, hard := quota.Status.Used[name], quota.Status.Hard[name]
			if used.Add(*resource.NewQuantity(requested[name], resource.DecimalSI)); used.Cmp(hard) > 0 {
				return apierrors.NewForbidden(resourceapi.Resource("resourceclaims"), claim.Name, fmt.Errorf("exceeded quota: %s, %s", quota.Name, name))
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

// requestedDevices returns the maximum number of devices that a claim requests, by
// DeviceClass. A request with subrequests counts as its largest subrequest.
func (c *Cluster) requestedDevices(claim *resourceapi.ResourceClaim) map[corev1.ResourceName]int64 {
	requested := map[corev1.ResourceName]int64{}
	for _, r := range claim.Spec.Devices.Requests {
		most := map[corev1.ResourceName]int64{}
		add := func(class string, count int64) {
			name := corev1.ResourceName(class + ".deviceclass.resource.k8s.io/devices")
			most[name] = max(most[name], count, 1)
		}
		if r.Exactly != nil {
			add(r.Exactly.DeviceClassName, r.Exactly.Count)
		}
		for i, subrequest := range r.FirstAvailable {
			if i == 0 || !c.Mistakes.ChargesFirst {
				add(subrequest.DeviceClassName, subrequest.Count)
			}
		}
		for name, count := range most {
			requested[name] += count
		}
	}
	return requested
}
