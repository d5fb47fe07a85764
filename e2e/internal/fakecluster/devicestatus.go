// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// reportStatus writes the status of the devices of a prepared claim into the
// claim, as a driver does, unless the claim has it already (KEP-4817).
func (d *Driver) reportStatus(claim *resourceapi.ResourceClaim) error {
	c := d.cluster
	if c.WithoutStatus || claim.Status.Allocation == nil || len(claim.Status.Devices) > 0 && !c.Mistakes.RenewsStatus {
		return nil
	}
	var reported []resourceapi.AllocatedDeviceStatus
	for _, r := range claim.Status.Allocation.Devices.Results {
		status := resourceapi.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
		if r.ShareID != nil {
			status.ShareID = ptr.To(string(*r.ShareID))
		}
		status.Conditions = []metav1.Condition{{Type: "Ready", Status: metav1.ConditionTrue, Reason: "Prepared", LastTransitionTime: metav1.Now().Rfc3339Copy()}}
		reported = append(reported, status)
	}
	if change := c.Mistakes.MisstatesDevices; change != nil {
		reported = change(reported)
	}
	claim.Status.Devices = reported
	return c.update(claims, claim)
}
