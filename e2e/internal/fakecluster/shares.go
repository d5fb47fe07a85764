// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// checkShares returns an error for a claim with a share of a device of which the driver
// takes another share for the whole device.
func (d *Driver) checkShares(name types.NamespacedName, uid types.UID) error {
	claim, err := d.cluster.claim(name)
	if err != nil || claim.Status.Allocation == nil {
		return nil //nolint:nilerr // Such a claim has no shares.
	}
	for other, held := range d.devices {
		if other == uid || !d.full[other] {
			continue
		}
		for _, device := range held {
			has := func(r resourceapi.DeviceRequestAllocationResult) bool {
				return r.Pool == device.Pool && r.Device == device.Device.Device
			}
			if device.ShareID != "" && slices.ContainsFunc(claim.Status.Allocation.Devices.Results, has) {
				return fmt.Errorf("prepare claim %s: device %s is held by claim %s", name, device.Device.Device, other)
			}
		}
	}
	return nil
}
