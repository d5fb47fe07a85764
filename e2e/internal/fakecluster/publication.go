// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/dynamic-resource-allocation/deviceattribute"
	"k8s.io/utils/ptr"
)

// mispublish changes the ResourceSlices among the initial objects of a cluster with so many
// nodes.
func (m Mistakes) mispublish(objects []runtime.Object, nodes int) {
	for _, object := range objects {
		slice, ok := object.(*resourceapi.ResourceSlice)
		if !ok {
			continue
		}
		if last := nodeName(nodes - 1); m.PublishesHostNames && ptr.Deref(slice.Spec.NodeName, "") == last {
			slice.Spec.NodeName = ptr.To(last + ".example.com")
		}
		if m.PublishesTooFew {
			slice.Spec.Pool.ResourceSliceCount++
		}
		for i := range slice.Spec.Devices {
			if device := &slice.Spec.Devices[i]; m.PublishesBusIDs {
				device.Attributes = maps.Clone(device.Attributes)
				device.Attributes[deviceattribute.StandardDeviceAttributePCIeRoot] = resourceapi.DeviceAttribute{StringValue: ptr.To("0000:3b:00.0")}
				device.Attributes[deviceattribute.StandardDeviceAttributeNUMANode] = resourceapi.DeviceAttribute{IntValue: ptr.To[int64](-1)}
			}
		}
		if m.PublishesInvalid && len(slice.Spec.Devices) > 0 {
			slice.Spec.Devices[0].ConsumesCounters = []resourceapi.DeviceCounterConsumption{{CounterSet: "unknown"}}
		}
	}
}

// restarted is the end of the names of slices that a restarted driver with faults
// leaves.
const restarted = "-restarted"

// republish changes the ResourceSlices of the driver on a node as a restarted
// driver does that has faults, or resets the generation.
func (c *Cluster) republish(node string) error {
	if c.PublishesGradually {
		return c.publishFirst(node)
	}
	published, err := c.slicesOn(c.Driver, node)
	if err != nil {
		return err
	}
	if c.Mistakes.RestartLeavesSlices {
		// The pool of multi-host devices is not that of a node, so that the first node does
		// it.
		shared, sharedErr := c.slicesOn(c.NIC, node)
		multiHost, multiHostErr := c.slicesOn(c.TPU, "")
		if err := errors.Join(sharedErr, multiHostErr); err != nil {
			return err
		}
		if slices.ContainsFunc(multiHost, func(s *resourceapi.ResourceSlice) bool { return strings.HasSuffix(s.Name, restarted) }) {
			multiHost = nil
		}
		published = slices.Concat(published, shared, multiHost)
	}
	for _, slice := range published {
		if err := c.republishSlice(slice); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) republishSlice(slice *resourceapi.ResourceSlice) error {
	switch {
	case c.Mistakes.RestartLeavesSlices:
		slice.Name += restarted
		slice.Spec.Pool.Generation--
		return c.store(slicesOf, slice)
	case c.ResetsGeneration:
		slice.Spec.Pool.Generation--
	case c.Mistakes.RestartRenames:
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].Name += "-renamed"
		}
	default:
		return nil
	}
	return c.update(slicesOf, slice)
}

// publishUse publishes devices as a driver does that publishes which of them are
// prepared.
func (d *Driver) publishUse() error { return d.publishUseBy(d.cluster.Mistakes.PublishesUse) }

// publishUseBy publishes devices with a change that may depend on whether they are prepared. It
// does nothing without a change.
func (d *Driver) publishUseBy(change func(device *resourceapi.Device, used bool)) error {
	if change == nil {
		return nil
	}
	used := map[string]bool{}
	for _, held := range d.devices {
		for _, device := range held {
			used[device.driver+"/"+device.Device.Device] = true
		}
	}
	published, err := d.cluster.slices()
	if err != nil {
		return err
	}
	for _, slice := range published {
		if ptr.Deref(slice.Spec.NodeName, "") != d.node {
			continue
		}
		if d.original[slice.Name] == nil {
			d.original[slice.Name] = slice.DeepCopy().Spec.Devices
		}
		slice.Spec.Devices = nil
		for _, device := range d.original[slice.Name] {
			changed := *device.DeepCopy()
			change(&changed, used[slice.Spec.Driver+"/"+device.Name])
			slice.Spec.Devices = append(slice.Spec.Devices, changed)
		}
		if err := d.cluster.update(slicesOf, slice); err != nil {
			return err
		}
	}
	return nil
}

// restDelay is the time after which a driver that publishes its devices little by
// little publishes all of them.
const restDelay = 500 * time.Millisecond

// publishFirst publishes the first device of each ResourceSlice of a node.
func (c *Cluster) publishFirst(node string) error {
	published, err := c.slicesOn(c.Driver, node)
	if err != nil {
		return err
	}
	for _, slice := range published {
		c.rest = append(c.rest, laterSlice{time.Now(), slice.DeepCopy()})
		slice.Spec.Pool.Generation++
		slice.Spec.Devices = slice.Spec.Devices[:min(1, len(slice.Spec.Devices))]
		if err := c.update(slicesOf, slice); err != nil {
			return err
		}
	}
	return nil
}

// laterSlice is a complete ResourceSlice of which a part is published.
type laterSlice struct {
	since time.Time
	*resourceapi.ResourceSlice
}

// publishRest publishes the complete ResourceSlices that are due.
func (c *Cluster) publishRest() error {
	for len(c.rest) > 0 && time.Since(c.rest[0].since) >= restDelay {
		complete := c.rest[0].ResourceSlice
		c.rest = c.rest[1:]
		complete.Spec.Pool.Generation += 2
		if err := c.update(slicesOf, complete); err != nil {
			return err
		}
	}
	return nil
}

// showChange changes a list of ResourceSlices: the driver has published the first slice of a
// new generation of one node's pool, and no others.
func (c *Cluster) showChange(list *resourceapi.ResourceSliceList) {
	n := c.lists.Add(1)
	changing := fmt.Sprintf("node-%d", 1+n%int64(c.Nodes))
	c.generations[changing] = 1 + n
	hasFirst := false
	var shown []resourceapi.ResourceSlice
	for _, slice := range list.Items {
		pool := &slice.Spec.Pool
		pool.Generation = max(pool.Generation, c.generations[pool.Name])
		if pool.Name == changing && hasFirst {
			continue
		}
		hasFirst = hasFirst || pool.Name == changing
		shown = append(shown, slice)
	}
	list.Items = shown
}

// measured returns the attributes of a device with one that has another value each time, if
// drivers publish such.
func (c *Cluster) measured(attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	if !c.ChangesAttributes {
		return attributes
	}
	all := maps.Clone(attributes)
	if all == nil {
		all = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	}
	all["temperature"] = resourceapi.DeviceAttribute{IntValue: ptr.To(c.lists.Add(1))}
	return all
}

// measure adds this attribute to the devices of a list.
func (c *Cluster) measure(list *resourceapi.ResourceSliceList) {
	for i := range list.Items {
		for j := range list.Items[i].Spec.Devices {
			device := &list.Items[i].Spec.Devices[j]
			device.Attributes = c.measured(device.Attributes)
		}
	}
}
