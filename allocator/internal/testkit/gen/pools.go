// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var drivers = []string{"gpu.example.com", "nic.example.com"}

// placement sets the node selection of a slice or a device.
type placement func(name **string, all **bool, selector **corev1.NodeSelector)

// place draws a node selection.
func (d *draw) place() placement {
	node := pick(d, "node", d.p.Nodes...)
	switch pick(d, "placement", "node", "all", "all", "selector", "field") {
	case "node":
		return func(name **string, _ **bool, _ **corev1.NodeSelector) { *name = ptr.To(node.Name) }
	case "all":
		return func(_ **string, all **bool, _ **corev1.NodeSelector) { *all = ptr.To(true) }
	case "selector":
		key := pick(d, "label", "zone", "rack")
		return selected(corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{node.Labels[key]}},
		}})
	default:
		return selected(corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node.Name}},
		}})
	}
}

func selected(term corev1.NodeSelectorTerm) placement {
	return func(_ **string, _ **bool, selector **corev1.NodeSelector) {
		*selector = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{term}}
	}
}

func (d *draw) pools() {
	drawn := map[string]bool{}
	for range d.number("pools", 1, d.size(3, 2, 2)) {
		// Pools of two drivers may have the same name.
		driver, name := pick(d, "driver", "gpu.example.com", "gpu.example.com", "nic.example.com"), pick(d, "pool", "pool-b", "pool-a", "pool-c")
		if !drawn[driver+name] {
			drawn[driver+name] = true
			d.pool(driver, name)
		}
	}
}

// pool draws a pool: its slices with devices, and one with counters.
func (d *draw) pool(driver, name string) {
	place := d.place()
	generation := int64(d.number("generation", 1, 2))
	var slices []*resourceapi.ResourceSlice
	slice := func(suffix string) *resourceapi.ResourceSlice {
		s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: driver[:3] + "-" + name + "-" + suffix}}
		s.Spec.Driver = driver
		s.Spec.Pool = resourceapi.ResourcePool{Name: name, Generation: generation}
		slices = append(slices, s)
		return s
	}
	sets := d.counterSets()
	mixed := len(sets) > 0 && d.topic.broken && d.chance("counters and devices in a slice", 30)
	if len(sets) > 0 && !mixed {
		counters := slice("counters")
		counters.Spec.SharedCounters = sets
		place(&counters.Spec.NodeName, &counters.Spec.AllNodes, &counters.Spec.NodeSelector)
	}
	first := 0
	for i := range d.number("slices", 1, 2) {
		s := slice(string("ba"[i]))
		if d.topic.skip && d.chance("slice skips operations", 50) {
			s.Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{"*"}
		}
		s.Spec.Devices = d.devices(driver, first, sets)
		first += len(s.Spec.Devices)
		if d.config.Affinity {
			d.declare(s)
		}
		if mixed && i == 0 {
			s.Spec.SharedCounters = sets
		}
		switch {
		case d.topic.perDevice && d.chance("per device", 60):
			s.Spec.PerDeviceNodeSelection = ptr.To(true)
			for j := range s.Spec.Devices {
				device := &s.Spec.Devices[j]
				d.place()(&device.NodeName, &device.AllNodes, &device.NodeSelector)
			}
		case d.chance("a place of its own", 15):
			d.place()(&s.Spec.NodeName, &s.Spec.AllNodes, &s.Spec.NodeSelector)
		default:
			place(&s.Spec.NodeName, &s.Spec.AllNodes, &s.Spec.NodeSelector)
		}
	}
	for _, s := range slices {
		s.Spec.Pool.ResourceSliceCount = int64(len(slices))
	}
	d.p.Slices = append(d.p.Slices, slices...)
}

func (d *draw) counterSets() []resourceapi.CounterSet {
	if !d.topic.counters || d.chance("no counters", 25) {
		return nil
	}
	var sets []resourceapi.CounterSet
	for i := range d.number("counter sets", 1, 2) {
		set := resourceapi.CounterSet{Name: fmt.Sprintf("set-%d", i), Counters: map[string]resourceapi.Counter{
			"memory": {Value: d.amount("memory", "Gi", "2", "4", "7", "10")},
		}}
		if d.chance("engines", 50) {
			set.Counters["engines"] = resourceapi.Counter{Value: d.amount("engines", "", "2", "3", "2500m")}
		}
		sets = append(sets, set)
	}
	return sets
}

func (d *draw) consumption(set resourceapi.CounterSet) resourceapi.DeviceCounterConsumption {
	consumption := resourceapi.DeviceCounterConsumption{CounterSet: set.Name, Counters: map[string]resourceapi.Counter{
		"memory": {Value: d.amount("consumed memory", "Gi", "1", "1", "2", "3")},
	}}
	if _, found := set.Counters["engines"]; found && d.chance("uses engines", 50) {
		consumption.Counters["engines"] = resourceapi.Counter{Value: d.amount("consumed engines", "", "1", "500m", "2")}
	}
	if d.topic.groups {
		consumption.CompatibilityGroups = pick(d, "groups", nil, []string{"x"}, []string{"y"}, []string{"x", "y"})
	}
	return consumption
}
