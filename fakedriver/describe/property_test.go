// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"pgregory.net/rapid"
)

// node is a device of a random tree with amounts of a few capacities.
type node struct {
	source  *node
	name    string
	amounts map[string]int // capacities that are not in the map are not listed
}

var dimensions = []string{"memory", "engines", "slice0", "slice1"}

// randomForest draws devices, each after its source. Every part consumes some
// capacity of its source and at most the source's amount.
func randomForest(t *rapid.T) []*node {
	var nodes []*node
	for i := range rapid.IntRange(2, 8).Draw(t, "devices") {
		n := &node{name: fmt.Sprintf("d%d", i), amounts: map[string]int{}}
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "isPart") > 0 {
			n.source = rapid.SampledFrom(nodes).Draw(t, "source")
		}
		n.drawAmounts(t)
		nodes = append(nodes, n)
	}
	return nodes
}

func (n *node) drawAmounts(t *rapid.T) {
	for _, dimension := range dimensions {
		limit := 6
		if n.source != nil {
			limit = n.source.amounts[dimension]
		}
		if rapid.Bool().Draw(t, "lists") {
			n.amounts[dimension] = rapid.IntRange(0, limit).Draw(t, dimension)
		}
	}
	for _, amount := range n.amounts {
		if amount > 0 {
			return
		}
	}
	if n.source == nil {
		n.amounts["memory"] = 6
		return
	}
	for _, dimension := range dimensions {
		if n.source.amounts[dimension] > 0 {
			n.amounts[dimension] = 1
			return
		}
	}
}

func describeForest(nodes []*node) string {
	var out strings.Builder
	out.WriteString("devices:\n")
	for _, n := range nodes {
		fmt.Fprintf(&out, "- name: %s\n  composite:\n    capacity:\n", n.name)
		for _, dimension := range dimensions {
			if amount, lists := n.amounts[dimension]; lists {
				fmt.Fprintf(&out, "      %s: {quantity: %d}\n", dimension, amount)
			}
		}
		if n.source != nil {
			fmt.Fprintf(&out, "    consumesCapacityFrom: [{name: %s}]\n", n.source.name)
		}
	}
	return out.String()
}

func (n *node) isBelow(other *node) bool {
	for above := n.source; above != nil; above = above.source {
		if above == other {
			return true
		}
	}
	return false
}

// mayBeInUse implements the draft's rule about devices that may be allocated at
// the same time, see connect: no device is above or below another one, and no
// source is exceeded.
func mayBeInUse(all, used []*node) bool {
	for _, n := range used {
		if slices.ContainsFunc(used, n.isBelow) {
			return false
		}
	}
	for _, source := range all {
		for _, dimension := range dimensions {
			taken := 0
			for _, n := range used {
				if n.isBelow(source) {
					taken += n.amounts[dimension]
				}
			}
			if taken > source.amounts[dimension] {
				return false
			}
		}
	}
	return true
}

// countersSuffice computes the remaining counters like a scheduler.
func countersSuffice(inventory *Inventory, used []*node) bool {
	left := map[string]int64{}
	for _, set := range inventory.CounterSets {
		for name, counter := range set.Counters {
			left[set.Name+"/"+name] = counter.Value.Value()
		}
	}
	for _, n := range used {
		for _, consumption := range inventory.Device(n.name).ConsumesCounters {
			for name, counter := range consumption.Counters {
				left[consumption.CounterSet+"/"+name] -= counter.Value.Value()
			}
		}
	}
	for _, amount := range left {
		if amount < 0 {
			return false
		}
	}
	return true
}

// The counters allow exactly the sets of devices that the draft allows, also
// with nested sources. In particular, each device can be allocated alone.
func TestCountersAllowWhatTheDraftAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := randomForest(t)
		description := describeForest(nodes)
		inventory, err := Compile([]byte(description))
		if err != nil {
			t.Fatalf("%v\n%s", err, description)
		}
		for subset := range 1 << len(nodes) {
			var used []*node
			var names []string
			for i, n := range nodes {
				if subset&(1<<i) != 0 {
					used, names = append(used, n), append(names, n.name)
				}
			}
			if got, want := countersSuffice(inventory, used), mayBeInUse(nodes, used); got != want {
				t.Fatalf("devices %v: the counters allow it: %t, the draft does: %t\n%s%s", names, got, want, description, draw(inventory))
			}
		}
	})
}

// Flattening must have the same result as a simple model, which looks up a
// property on the device and then in its mixins from the last to the first.
func TestFlatteningEqualsTheNaiveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		description, layers := randomMixins(t)
		inventory, err := Compile([]byte(description))
		if err != nil {
			t.Fatalf("%v\n%s", err, description)
		}
		device := inventory.Device("d")
		for _, key := range propertyNames {
			want, has := 0, false
			for i := 0; i < len(layers) && !has; i++ {
				want, has = layers[i][key]
			}
			attribute, hasAttribute := device.Attributes[resourceapi.QualifiedName(key)]
			capacity, hasCapacity := device.Capacity[resourceapi.QualifiedName(key)]
			if hasAttribute != has || hasCapacity != has {
				t.Fatalf("%s: attribute %t, capacity %t, want %t\n%s", key, hasAttribute, hasCapacity, has, description)
			}
			if has && (*attribute.IntValue != int64(want) || capacity.Value.Value() != int64(want)) {
				t.Fatalf("%s: attribute %d, capacity %d, want %d\n%s", key, *attribute.IntValue, capacity.Value.Value(), want, description)
			}
		}
	})
}

var propertyNames = []string{"a", "b", "c"}

// randomMixins draws a description of the device d and some mixins. It returns
// the description and the properties of the device and the included mixins, in
// order of precedence.
func randomMixins(t *rapid.T) (description string, layers []map[string]int) {
	var out strings.Builder
	out.WriteString("deviceMixins:\n")
	var mixins []map[string]int
	for i := range rapid.IntRange(1, 4).Draw(t, "mixins") {
		mixins = append(mixins, drawProperties(t))
		writeProperties(&out, fmt.Sprintf("m%d", i), mixins[i])
	}
	own := drawProperties(t)
	out.WriteString("devices:\n")
	writeProperties(&out, "d", own)
	out.WriteString("    includes: [")
	for _, i := range rapid.SliceOfN(rapid.IntRange(0, len(mixins)-1), 0, 6).Draw(t, "includes") {
		fmt.Fprintf(&out, "{name: m%d}, ", i)
		layers = append(layers, mixins[i])
	}
	out.WriteString("]\n")
	layers = append(layers, own)
	slices.Reverse(layers)
	return out.String(), layers
}

func drawProperties(t *rapid.T) map[string]int {
	out := map[string]int{}
	for _, key := range propertyNames {
		if rapid.Bool().Draw(t, "has "+key) {
			out[key] = rapid.IntRange(0, 99).Draw(t, key)
		}
	}
	return out
}

// writeProperties writes a mixin or a device. Each property is both an
// attribute and a capacity.
func writeProperties(out *strings.Builder, name string, properties map[string]int) {
	fmt.Fprintf(out, "- name: %s\n  composite:\n    attributes: {", name)
	for key, value := range properties {
		fmt.Fprintf(out, "%s: {int: %d}, ", key, value)
	}
	out.WriteString("}\n    capacity: {")
	for key, value := range properties {
		fmt.Fprintf(out, "%s: {quantity: %d}, ", key, value)
	}
	out.WriteString("}\n")
}
