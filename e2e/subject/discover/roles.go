// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/subject/published"
)

// role is the description of a role in the file.
type role struct {
	// why states what the role rests on, or why the driver seems not to have it.
	why string
	// fields are the fields of the role in their order. Without fields, the role
	// is left out.
	fields []field
}

// field is a field of a role.
type field struct {
	// why states what the field rests on. A field without a value is left out,
	// and why states the reason.
	why, name string
	// value is a string, a driverfile.Device, a list of these, or a list of
	// fields.
	value any
}

// parentsGuess describes the parents of partitions. It has no attribute if they
// cannot be described.
type parentsGuess struct {
	driverfile.Parents
	why string
}

// field returns the field parents of a role.
func (p parentsGuess) field() field {
	if p.Attribute == "" {
		return field{why: p.why}
	}
	return field{p.why, "parents", []field{{"", "attribute", p.Attribute}, {"", "whole", p.Whole}}}
}

// findParents describes the parents of partitions.
func (d *discovery) findParents() parentsGuess {
	p := d.partitioning
	switch {
	case p == nil:
		return parentsGuess{}
	case len(p.wholes) == 0:
		return parentsGuess{why: "parents: no device consumes all counters of its counter set, so there are no whole devices."}
	case p.attribute == "" && p.localAttribute != "":
		return parentsGuess{why: fmt.Sprintf("parents: the attribute %s groups the devices of a parent, but devices on several nodes have the same values, so specs cannot use it.", p.localAttribute)}
	case p.attribute == "":
		return parentsGuess{why: "parents: no string attribute is equal for a whole device and its partitions and differs between parents. A driver can publish one."}
	}
	q, ok := d.requests.find(p.wholes)
	if !ok {
		return parentsGuess{why: "parents: no selector tells whole devices from others."}
	}
	return parentsGuess{
		driverfile.Parents{Attribute: p.attribute, Whole: q.Device},
		fmt.Sprintf("The attribute is equal for a whole device and its partitions, and differs between %s. A whole device consumes what all of its partitions need. There are %d of them.", plural(len(p.parents), "parent"), len(q.selected)),
	}
}

// exclusivePerNode is the number of exclusive devices on a node that specs use.
const exclusivePerNode = 4

// exclusiveChoice is devices that could be the exclusive ones.
type exclusiveChoice struct {
	what       string
	devices    []*published.Device
	partitions bool
	atOnce     int
}

func (d *discovery) exclusive() role {
	choice, ok := d.chooseExclusive()
	if !ok {
		return role{why: "all devices of the driver are shared or span nodes"}
	}
	q, ok := d.requests.find(choice.devices)
	if !ok {
		return role{why: "no selector tells the devices that could be exclusive from others: add an attribute to them"}
	}
	r := role{why: fmt.Sprintf("%s on %s. %s", plural(len(q.selected), choice.what), nodes(q.selected), sentence(q.why))}
	if n := d.onNode(q.selected); n < exclusivePerNode {
		r.why += fmt.Sprintf(" At the same time, a node has only %d of them, and specs use up to %d.", n, exclusivePerNode)
	} else {
		r.why += fmt.Sprintf(" At the same time, each node has at least %d of them.", n)
	}
	r.fields = []field{{"", "device", q.Device}}
	if d.partitioning != nil && choice.partitions {
		r.fields = append(r.fields, d.parentsGuess.field())
	}
	if choice.partitions {
		r.fields = append(r.fields, field{"The devices consume shared counters.", "features", []features.Feature{features.Partitions}})
	}
	return r
}

// chooseExclusive returns the first choice with enough devices on each node, or
// the one with the most.
func (d *discovery) chooseExclusive() (exclusiveChoice, bool) {
	choices := []exclusiveChoice{{what: "exclusive device", devices: ofOneType(d.driver, filter(d.driver.Devices, func(device *published.Device) bool {
		return !device.Shared() && !device.MultiHost() && len(device.ConsumesCounters) == 0
	}))}}
	if p := d.partitioning; p != nil {
		choices = append(choices, exclusiveChoice{what: "whole device", devices: p.wholes, partitions: true})
		choices = append(choices, exclusiveChoice{what: "partition", devices: p.kinds[0].devices, partitions: true})
	} else {
		var alone []*published.Device
		for _, parent := range d.parents {
			alone = append(alone, filter(parent.Devices, func(d *published.Device) bool { return !d.Shared() && !d.MultiHost() })...)
		}
		choices = append(choices, exclusiveChoice{what: "exclusive device", devices: ofOneType(d.driver, alone), partitions: true})
	}
	choices = slices.DeleteFunc(choices, func(c exclusiveChoice) bool { return len(c.devices) == 0 })
	if len(choices) == 0 {
		return exclusiveChoice{}, false
	}
	for i := range choices {
		choices[i].atOnce = min(d.onNode(choices[i].devices), exclusivePerNode)
	}
	return slices.MaxFunc(choices, func(a, b exclusiveChoice) int { return cmp.Compare(a.atOnce, b.atOnce) }), true
}

// onNode returns how many of the devices a node has at the same time.
func (d *discovery) onNode(devices []*published.Device) int {
	n := d.atOnce(devices)
	return n + count(devices, func(d *published.Device) bool { return d.AllNodes })
}

// atOnce returns how many of the devices can be allocated at the same time on
// the node where this is the smallest number, if nothing else is allocated.
// Devices that all nodes can use do not count.
func (d *discovery) atOnce(devices []*published.Device) int {
	perNode := map[string]int{}
	for _, device := range devices {
		for _, node := range device.Nodes {
			if perNode[node] += 0; len(device.ConsumesCounters) == 0 && !device.AllNodes {
				perNode[node]++
			}
		}
	}
	set := sets.New(devices...)
	for _, parent := range d.parents {
		of := parent.Of(set)
		for _, node := range published.Nodes(of) {
			perNode[node] += parent.Most(published.OnNode(of, node))
		}
	}
	least := 0
	for _, n := range perNode {
		if least == 0 || n < least {
			least = n
		}
	}
	return least
}

// ofOneType returns the largest group of devices that have the same value of an
// attribute that is a type. Without such an attribute, it returns all.
func ofOneType(driver *published.Driver, devices []*published.Device) []*published.Device {
	for _, name := range driver.StringAttributes(devices) {
		if !isType(name) {
			continue
		}
		groups := map[string][]*published.Device{}
		for _, d := range devices {
			value, _ := d.Attribute(name)
			groups[value] = append(groups[value], d)
		}
		values := slices.Sorted(maps.Keys(groups))
		return groups[slices.MaxFunc(values, func(a, b string) int { return cmp.Compare(len(groups[a]), len(groups[b])) })]
	}
	return devices
}

// multiHost describes the devices that span two and four nodes.
func (d *discovery) multiHost() role {
	bySize := map[int][]*published.Device{}
	for _, device := range d.driver.Devices {
		if device.MultiHost() {
			bySize[len(device.Nodes)] = append(bySize[len(device.Nodes)], device)
		}
	}
	if len(bySize) == 0 {
		return role{why: "no device has a node selector that matches several nodes"}
	}
	var sizes []string
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		sizes = append(sizes, fmt.Sprintf("%s over %d nodes", plural(len(bySize[size]), "device"), size))
	}
	found := strings.Join(sizes, ", ")
	pair, ok := d.requests.find(bySize[2])
	if len(bySize[2]) == 0 || !ok {
		return role{why: "specs need devices over two nodes that a selector tells from others, and the driver has " + found}
	}
	r := role{why: fmt.Sprintf("The node selectors of the devices match several nodes: %s. %s", found, sentence(pair.why))}
	r.fields = []field{{"", "pair", pair.Device}}
	if quad, ok := d.requests.find(bySize[4]); ok && len(bySize[4]) > 0 {
		r.fields = append(r.fields, field{"", "quad", quad.Device})
	} else {
		r.fields = append(r.fields, field{why: "quad: no device over four nodes can be selected."})
	}
	return r
}

// nodes describes the nodes of devices.
func nodes(devices []*published.Device) string {
	if slices.ContainsFunc(devices, func(d *published.Device) bool { return d.AllNodes }) {
		return "all nodes"
	}
	switch names := published.Nodes(devices); len(names) {
	case 0:
		return "no known node"
	case 1:
		return "node " + names[0]
	default:
		return fmt.Sprintf("%d nodes", len(names))
	}
}

// sentence returns a text as a sentence.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
