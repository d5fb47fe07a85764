// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/publish"
)

// publishDevices replaces the devices of a driver on the node by described ones, or by
// those that it had at first if there is no description.
func (d *Driver) publishDevices(driver, description string) error {
	c := d.cluster
	if description == d.published.Devices.Description {
		return nil
	}
	now, err := c.slicesOn(driver, d.node)
	if err != nil {
		return err
	}
	if d.atFirst == nil {
		d.atFirst = now
	}
	wanted := d.atFirst
	if description != "" {
		inventory, err := describe.Compile([]byte(description))
		if err != nil {
			return err
		}
		wanted = publish.NodeObjects(driver, d.node, publish.Slices(inventory, publish.SeparateCounters))
	}
	c.rest = slices.DeleteFunc(c.rest, func(s laterSlice) bool {
		return slices.ContainsFunc(now, func(slice *resourceapi.ResourceSlice) bool { return slice.Name == s.Name })
	})
	for _, slice := range now {
		if c.Mistakes.LeavesSlices {
			continue
		}
		if err := c.remove(slicesOf, slice); err != nil {
			return err
		}
	}
	generation := now[0].Spec.Pool.Generation + 1
	for _, slice := range wanted {
		changed := slice.DeepCopy()
		changed.Name, changed.Spec.Pool.Generation = fmt.Sprintf("%s-%d", slice.Name, generation), generation
		if err := c.store(slicesOf, changed); err != nil {
			return err
		}
	}
	return nil
}

// checkRemoved returns an error for a prepared claim with a device that the driver does
// not publish any more.
func (d *Driver) checkRemoved(uid types.UID) error {
	published, err := d.cluster.slices()
	if err != nil {
		return err
	}
	for _, held := range d.devices[uid] {
		if !held.isOffered(published) {
			return fmt.Errorf("there is no device %s", held.Device.Device)
		}
	}
	return nil
}

// isOffered reports whether one of the ResourceSlices has the device.
func (h heldDevice) isOffered(published []*resourceapi.ResourceSlice) bool {
	return slices.ContainsFunc(published, func(s *resourceapi.ResourceSlice) bool {
		return s.Spec.Driver == h.driver && s.Spec.Pool.Name == h.Pool &&
			slices.ContainsFunc(s.Spec.Devices, func(device resourceapi.Device) bool { return device.Name == h.Device.Device })
	})
}

// forgetRemoved imitates a driver that starts without the claims of devices that it does
// not publish any more.
func (d *Driver) forgetRemoved() {
	for claim, uid := range d.prepared {
		if d.cluster.Mistakes.RestartForgetsRemoved && d.checkRemoved(uid) != nil {
			delete(d.prepared, claim)
			d.drop(uid, "")
		}
	}
}
