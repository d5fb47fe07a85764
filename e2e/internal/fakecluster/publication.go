// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// mispublish changes the ResourceSlices among the initial objects of a cluster.
func (m Mistakes) mispublish(objects []runtime.Object) {
	for _, object := range objects {
		slice, ok := object.(*resourceapi.ResourceSlice)
		if !ok {
			continue
		}
		if m.PublishesTooFew {
			slice.Spec.Pool.ResourceSliceCount++
		}
		if m.PublishesInvalid && len(slice.Spec.Devices) > 0 {
			slice.Spec.Devices[0].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "unknown"}}
		}
	}
}

// republish changes the ResourceSlices of the driver on a node as a restarted
// driver with faults does.
func (c *Cluster) republish(node string) error {
	if !c.Mistakes.RestartRenames && !c.Mistakes.RestartRollsBack {
		return nil
	}
	published, err := c.slicesOn(c.Driver, node)
	if err != nil {
		return err
	}
	for _, slice := range published {
		if c.Mistakes.RestartRollsBack {
			slice.Spec.Pool.Generation--
		}
		for i := range slice.Spec.Devices {
			if c.Mistakes.RestartRenames {
				slice.Spec.Devices[i].Name += "-renamed"
			}
		}
		if err := c.update(slicesOf, slice); err != nil {
			return err
		}
	}
	return nil
}
