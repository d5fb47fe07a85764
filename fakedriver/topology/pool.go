// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// Attributes and capacity of devices in the driver's own domain.
const (
	// AttributeTopology is the name of the topology.
	AttributeTopology = "topology"
	// AttributeShape is the size of the slice, for example "2x4".
	AttributeShape = "shape"
	// AttributeOrigin is the position of the slice's first chip, for example
	// "2,4" for row 2 and column 4 of the grid.
	AttributeOrigin = "origin"
	// AttributeChips is the number of chips, like the capacity. A constraint
	// can only compare attributes between devices.
	AttributeChips = "chips"
	// AttributeHosts is the number of hosts. It is also the number of pods that
	// use the entire device.
	AttributeHosts = "hosts"
	// CapacityTPUs is the number of chips.
	CapacityTPUs = "tpus"
)

// Nodes defines how the nodes of the hosts are selected.
type Nodes struct {
	// Label is a label key of the nodes of all hosts.
	Label string
	// Values are the label values by the number of the host. Hosts without a
	// value are missing.
	Values map[int]string
}

// Hosts returns the value of the topology's label on the node of each host, by
// the host's number.
func (t *Topology) Hosts() []string { return t.hosts }

// Nodes returns all hosts. Each node is selected by the label of the topology.
func (t *Topology) Nodes() Nodes {
	nodes := Nodes{Label: t.hostLabel, Values: map[int]string{}}
	for host, value := range t.hosts {
		nodes.Values[host] = value
	}
	return nodes
}

// Pool is the content of a resource pool.
type Pool struct {
	// Name is the name of the pool.
	Name string
	// CounterSets are shared by all devices.
	CounterSets []resourceapi.CounterSet
	// Devices are sorted by size, smallest first.
	Devices []resourceapi.Device
}

// Pool returns all devices of the topology. Devices that span a missing host
// are in the pool with a node selector that selects no node, so they cannot be
// allocated. They must stay in the pool because a claim with such a device may
// still be in use on the remaining hosts. Without the device in a
// ResourceSlice, its counters would count as free, and the scheduler would
// allocate the chips of that claim again.
func (t *Topology) Pool(nodes Nodes) *Pool {
	pool := &Pool{Name: t.name, CounterSets: t.counters.sets}
	for i, s := range t.slices {
		device := t.device(s)
		device.NodeSelector = nodes.selector(s.hosts)
		device.ConsumesCounters = t.counters.draws[i]
		pool.Devices = append(pool.Devices, device)
	}
	return pool
}

// device returns the device of a slice, without node selector and counters.
func (t *Topology) device(s slice) resourceapi.Device {
	return resourceapi.Device{
		Name: s.device(),
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
			AttributeTopology: {StringValue: ptr.To(t.name)},
			AttributeShape:    {StringValue: ptr.To(s.shape.String())},
			AttributeOrigin:   {StringValue: ptr.To(join(s.origin, ","))},
			AttributeChips:    {IntValue: ptr.To(int64(len(s.chips)))},
			AttributeHosts:    {IntValue: ptr.To(int64(len(s.hosts)))},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
			CapacityTPUs: {Value: *resource.NewQuantity(int64(len(s.chips)), resource.DecimalSI)},
		},
	}
}

// Devices returns the names of all devices, in the order of the pool.
func (t *Topology) Devices() []string {
	var names []string
	for _, s := range t.slices {
		names = append(names, s.device())
	}
	return names
}

// Available returns the number of devices that do not span a missing host.
func (t *Topology) Available(nodes Nodes) int {
	available := 0
	for _, s := range t.slices {
		if nodes.haveAll(s.hosts) {
			available++
		}
	}
	return available
}

// selector returns a selector for the nodes of some hosts. It selects no node
// if one of the hosts is missing.
func (n Nodes) selector(hosts []int) *corev1.NodeSelector {
	requirements := []corev1.NodeSelectorRequirement{
		{Key: n.Label, Operator: corev1.NodeSelectorOpExists},
		{Key: n.Label, Operator: corev1.NodeSelectorOpDoesNotExist},
	}
	if n.haveAll(hosts) {
		values := make([]string, len(hosts))
		for i, host := range hosts {
			values[i] = n.Values[host]
		}
		requirements = []corev1.NodeSelectorRequirement{{Key: n.Label, Operator: corev1.NodeSelectorOpIn, Values: values}}
	}
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: requirements}}}
}

func (n Nodes) haveAll(hosts []int) bool {
	for _, host := range hosts {
		if _, ok := n.Values[host]; !ok {
			return false
		}
	}
	return true
}
