// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/pools"
)

const driver = "gpu.example.com"

// partitionable is the features for most tests.
var partitionable = pools.Settings{Features: structured.Features{PartitionableDevices: true}}

type (
	published = []*resourceapi.ResourceSlice
	change    = func(*resourceapi.ResourceSliceSpec)
)

// slice returns the only slice of pool p. It matches no node unless a change sets the node selection.
func slice(name string, changes ...change) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}}
	s.Spec = resourceapi.ResourceSliceSpec{Driver: driver, Pool: resourceapi.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1}}
	for _, f := range changes {
		f(&s.Spec)
	}
	return s
}

func pool(name string, generation, count int64) change {
	return func(s *resourceapi.ResourceSliceSpec) {
		s.Pool = resourceapi.ResourcePool{Name: name, Generation: generation, ResourceSliceCount: count}
	}
}

func of(generation, count int64) change { return pool("p", generation, count) }

func local(node string) change { return func(s *resourceapi.ResourceSliceSpec) { s.NodeName = &node } }

func everywhere(s *resourceapi.ResourceSliceSpec) { s.AllNodes = ptr.To(true) }

func inZone(zone string) change {
	return func(s *resourceapi.ResourceSliceSpec) { s.NodeSelector = zoneIs(zone) }
}

func perDevice(s *resourceapi.ResourceSliceSpec) { s.PerDeviceNodeSelection = ptr.To(true) }

func zoneIs(zone string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
		{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}},
	}}}}
}

// unreadable returns a node selector with an operator that does not exist.
func unreadable() *corev1.NodeSelector {
	s := zoneIs("a")
	s.NodeSelectorTerms[0].MatchExpressions[0].Operator = "Near"
	return s
}

// with adds a device.
func with(name string, changes ...func(*resourceapi.Device)) change {
	return func(s *resourceapi.ResourceSliceSpec) {
		device := resourceapi.Device{Name: name}
		for _, f := range changes {
			f(&device)
		}
		s.Devices = append(s.Devices, device)
	}
}

func onNode(name string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) { d.NodeName = &name }
}

func onAllNodes(d *resourceapi.Device) { d.AllNodes = ptr.To(true) }

func onNodes(selector *corev1.NodeSelector) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) { d.NodeSelector = selector }
}

// counters adds a counter set with one counter of 4.
func counters(set, counter string) change {
	return func(s *resourceapi.ResourceSliceSpec) {
		s.SharedCounters = append(s.SharedCounters, resourceapi.CounterSet{Name: set, Counters: amount(counter, "4")})
	}
}

func amount(counter, value string) map[string]resourceapi.Counter {
	return map[string]resourceapi.Counter{counter: {Value: resource.MustParse(value)}}
}

func consumes(set, counter, value string, groups ...string) func(*resourceapi.Device) {
	return func(d *resourceapi.Device) {
		d.ConsumesCounters = append(d.ConsumesCounters, resourceapi.DeviceCounterConsumption{
			CounterSet: set, Counters: amount(counter, value), CompatibilityGroups: groups,
		})
	}
}

func capacity() map[resourceapi.QualifiedName]resourceapi.DeviceCapacity {
	return map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{
		"memory": {Value: resource.MustParse("1Gi")}, "bandwidth": {Value: resource.MustParse("10")},
	}
}

// node returns a node. The zone label is set only if a zone is given.
func node(name string, zone ...string) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if len(zone) > 0 {
		n.Labels = map[string]string{corev1.LabelTopologyZone: zone[0]}
	}
	return n
}

// picture formats a view with one line per pool: "p: slice/device ...", "p incomplete" or "p invalid: reason".
// Devices that do not match the node are omitted. "!" marks devices whose node selector has an error.
func picture(view *pools.Node) []string {
	lines := []string{}
	for i := range view.Pools {
		p := &view.Pools[i]
		switch {
		case p.Incomplete:
			lines = append(lines, p.Pool+" incomplete")
		case p.Invalid != "":
			lines = append(lines, p.Pool+" invalid: "+p.Invalid)
		default:
			lines = append(lines, p.Pool+":")
		}
	}
	for _, word := range view.Words {
		for rest := word.Reach; rest != 0; rest &= rest - 1 {
			bit := rest & -rest
			name := word.Slice.API.Name + "/" + word.Slice.API.Spec.Devices[word.First+bits.First(bit)].Name
			if word.Errors&bit != 0 {
				name += "!"
			}
			lines[word.Pool] += " " + name
		}
	}
	return lines
}

// sees returns the picture of a new inventory for a node, or the error.
func sees(settings pools.Settings, list published, from *corev1.Node) string {
	view, err := pools.NewInventory(settings, list, nil).Node(from)
	if err != nil {
		return err.Error()
	}
	return strings.Join(picture(view), "; ")
}
