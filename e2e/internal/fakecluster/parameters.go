// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	fakeclaims "github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// checkParameters returns an error for a claim that has parameters of another API group for
// its driver than the driver knows.
func (d *Driver) checkParameters(claim *resourceapi.ResourceClaim) error {
	if d.cluster.TakesAllParameters || claim.Status.Allocation == nil || len(claim.Status.Allocation.Devices.Results) == 0 {
		return nil
	}
	allocated := claim.Status.Allocation.Devices
	if err := fakeclaims.CheckParameters(allocated.Results[0].Driver, allocated.Config); err != nil {
		return fmt.Errorf("prepare claim %s: %w", claim.Name, err)
	}
	return nil
}

// refuse returns the error of a driver that does not prepare a claim because of its parameters.
// The claim may have been prepared in part by then.
func (d *Driver) refuse(name types.NamespacedName, uid types.UID) error {
	claim, err := d.cluster.claim(name)
	if err != nil {
		return nil //nolint:nilerr // The caller handles claims that do not exist.
	}
	if err = d.checkParameters(claim); err != nil {
		d.failed[uid] = true
		if d.cluster.Mistakes.LeavesRefused || d.cluster.Mistakes.RestartLeavesRefused {
			d.hold(claim, uid, "", false)
			d.devices[uid] = d.devices[uid][:1]
		}
	}
	return err
}

// rememberConfigs returns the parameters of an earlier claim for a device that has none, if the driver
// does not remove them.
func (d *Driver) rememberConfigs(device string, configs []devenv.Config) []devenv.Config {
	if len(configs) > 0 {
		d.configured[device] = configs
	}
	if d.cluster.Mistakes.KeepsConfigs {
		return d.configured[device]
	}
	return configs
}
