package topology

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// Attributes and capacity that devices carry, in the driver's own domain.
const (
	// AttributeTopology is the name of the topology.
	AttributeTopology = "topology"
	// AttributeShape is the size of the slice, for example "2x4".
	AttributeShape = "shape"
	// AttributeOrigin is where the slice begins, for example "2,4" for row 2
	// and column 4 of the grid.
	AttributeOrigin = "origin"
	// AttributeChips is the number of chips, as is the capacity. Unlike
	// that, an attribute can be compared between devices by a constraint.
	AttributeChips = "chips"
	// AttributeHosts is the number of hosts, and so that of the pods that
	// use all of the device.
	AttributeHosts = "hosts"
	// CapacityTPUs is the number of chips.
	CapacityTPUs = "tpus"
)

// Nodes says how the nodes of the hosts are found.
type Nodes struct {
	// Label is a key that the nodes of all hosts have.
	Label string
	// Values are what tells the nodes apart, by the number of the host.
	// Hosts that are missing are not there.
	Values map[int]string
}

// Hosts returns what the label of the topology has as its value on the node of
// each host, by the host's number.
func (t *Topology) Hosts() []string { return t.hosts }

// Nodes returns all hosts, each by the label of the topology.
func (t *Topology) Nodes() Nodes {
	nodes := Nodes{Label: t.hostLabel, Values: map[int]string{}}
	for host, value := range t.hosts {
		nodes.Values[host] = value
	}
	return nodes
}

// Pool is the content of a resource pool.
type Pool struct {
	// Name is that of the pool.
	Name string
	// CounterSets are shared by all devices.
	CounterSets []resourceapi.CounterSet
	// Devices are sorted by size, smallest first.
	Devices []resourceapi.Device
}

// Pool returns all devices of the topology. Those that span a missing host are
// not offered: they are in the pool, but no node has access to them. A claim for
// which such a device was allocated before may still be in use on the hosts that
// are left. A device that is in no slice would consume nothing, and the
// scheduler would give away the chips of that claim once more.
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

// device returns what a slice is, wherever it is and whatever it excludes.
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

// Offered returns how many devices no missing host keeps from being allocated.
func (t *Topology) Offered(nodes Nodes) int {
	offered := 0
	for _, s := range t.slices {
		if nodes.haveAll(s.hosts) {
			offered++
		}
	}
	return offered
}

// selector selects the nodes of some hosts, or none if one of them is missing.
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
