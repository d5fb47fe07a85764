// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/internal/fault"
)

// misdescribed returns a pool of a topology with some hosts, with the mistakes of a
// controller with a fault. Without a fault it returns the pool.
func misdescribed(pool *topology.Pool, of *topology.Topology, hosts topology.Nodes) *topology.Pool {
	for i := range pool.Devices {
		device := &pool.Devices[i]
		spanned := device.Attributes[topology.AttributeHosts].IntValue
		switch {
		case fault.MisstatesShapes && *spanned == 1:
			shape := device.Attributes[topology.AttributeShape]
			shape.StringValue = ptr.To(shapeOfTwoHosts)
			device.Attributes[topology.AttributeShape] = shape
		case fault.PublishesWithoutCounters:
			device.ConsumesCounters = nil
		}
	}
	if fault.OffersIncompleteDevices {
		offerIncomplete(pool, of, hosts)
	}
	if fault.WithdrawsDevicesInUse {
		pool.Devices = slices.DeleteFunc(pool.Devices, func(device resourceapi.Device) bool { return !isAvailable(&device) })
	}
	return pool
}

// shapeOfTwoHosts is the shape of devices of two hosts in the topology 4x4.
const shapeOfTwoHosts = "2x4"

// isAvailable reports whether a device selects nodes. The selector of a device with a
// missing host has two requirements that contradict each other.
func isAvailable(device *resourceapi.Device) bool {
	return len(device.NodeSelector.NodeSelectorTerms[0].MatchExpressions) == 1
}

// offerIncomplete makes devices with missing hosts available on their other hosts.
func offerIncomplete(pool *topology.Pool, of *topology.Topology, hosts topology.Nodes) {
	values := map[string][]string{} // by device
	for number, value := range hosts.Values {
		for device := range of.Host(number).Parts {
			values[device] = append(values[device], value)
		}
	}
	for i := range pool.Devices {
		device := &pool.Devices[i]
		if left := values[device.Name]; !isAvailable(device) && len(left) > 0 {
			slices.Sort(left)
			device.NodeSelector.NodeSelectorTerms[0].MatchExpressions = []corev1.NodeSelectorRequirement{
				{Key: hosts.Label, Operator: corev1.NodeSelectorOpIn, Values: left},
			}
		}
	}
}

// noticed returns the nodes that the controller takes into account: all of them without a
// fault.
func (l *leader) noticed(nodes []*corev1.Node) []*corev1.Node {
	if !fault.KeepsFirstHosts {
		return nodes
	}
	if l.first == nil {
		l.first = nodes
	}
	return l.first
}

// leaveFormer adds what the pool had before its first change as a further pool, if the
// controller has that fault.
func (p *poolWriter) leaveFormer(pools map[string]resourceslice.Pool) {
	if !fault.LeavesFormerPools || len(p.layout) == 0 {
		return
	}
	if p.former == nil {
		p.former = p.layout
	}
	pools[p.config.Topology.Name()+"-former"] = resourceslice.Pool{Generation: 1, Slices: p.former}
}
