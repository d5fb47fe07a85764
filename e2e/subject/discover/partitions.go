// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/subject/published"
)

// partitioning is how a driver partitions devices.
type partitioning struct {
	// parents are the parents, also those of which only the whole device exists.
	parents []*published.Parent
	// wholes are the whole devices, at most one of each parent. parts are the
	// partitions.
	wholes, parts []*published.Device
	// kinds are the kinds of partitions, the smallest first.
	kinds []partitionKind
	// attribute groups the devices of a parent, and profile distinguishes kinds.
	// They are empty if there is no such attribute. localAttribute groups the
	// devices of a parent, but only on one node.
	attribute, localAttribute, profile string
}

// findPartitioning returns nil for a driver without partitions.
func findPartitioning(d *published.Driver, parents []*published.Parent) *partitioning {
	p := &partitioning{}
	for _, parent := range parents {
		if !isOneDevice(parent) {
			continue
		}
		p.parents = append(p.parents, parent)
		parts := filter(parent.Devices, func(d *published.Device) bool { return !excludesOthers(parent, d) })
		p.parts = append(p.parts, parts...)
		if whole := wholeOf(without(parent.Devices, parts), parts); whole != nil {
			p.wholes = append(p.wholes, whole)
		}
	}
	if len(p.parts) == 0 {
		return nil
	}
	p.attribute, p.localAttribute = p.findAttribute(d)
	p.findKinds(d)
	return p
}

// isOneDevice reports whether the devices are parts of one device: they are on
// the same nodes, and each is for one claim. Otherwise the counters are those of
// something else, such as the hosts of multi-host devices.
func isOneDevice(parent *published.Parent) bool {
	return every(parent.Devices, func(d *published.Device) bool {
		return !d.MultiHost() && !d.Shared() && slices.Equal(d.Nodes, parent.Devices[0].Nodes)
	})
}

// excludesOthers reports whether a device fits, and nothing else of the parent
// fits in addition to it.
func excludesOthers(parent *published.Parent, d *published.Device) bool {
	return parent.Fit([]*published.Device{d}) && !slices.ContainsFunc(parent.Devices, func(other *published.Device) bool {
		return other != d && parent.Fit([]*published.Device{d, other})
	})
}

// wholeOf returns the whole device among those that exclude all others. Another
// one may be a partition of the size of the whole device: it has more in common
// with the other partitions. The result is nil if there is none.
func wholeOf(candidates, parts []*published.Device) *published.Device {
	if len(candidates) == 0 {
		return nil
	}
	return slices.MinFunc(candidates, func(a, b *published.Device) int { return cmp.Compare(inCommon(a, parts), inCommon(b, parts)) })
}

// inCommon returns the number of attributes that a device has as all partitions
// have them, and of types that it has as any of them.
func inCommon(device *published.Device, parts []*published.Device) int {
	n := 0
	for name, own := range device.Attributes {
		has := func(d *published.Device) bool { _, found := d.Attributes[name]; return found }
		same := func(d *published.Device) bool { return has(d) && literalOf(d.Attributes[name]) == literalOf(own) }
		n += toInt(every(parts, has))
		if isType(string(name)) {
			n += toInt(slices.ContainsFunc(parts, same))
		}
	}
	return n
}

// findAttribute returns the string attribute that is equal for all devices of a
// parent and differs between parents. local is one that does so only among the
// parents of a node.
func (p *partitioning) findAttribute(d *published.Driver) (attribute, local string) {
	used := sets.New(slices.Concat(p.wholes, p.parts)...)
	names := d.StringAttributes(used.UnsortedList())
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(parentRank(a), parentRank(b)) })
	for _, name := range names {
		switch grouped, everywhere := p.groups(name, used); {
		case grouped && everywhere:
			return name, ""
		case grouped && local == "":
			local = name
		}
	}
	return "", local
}

func parentRank(name string) int {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "parent"):
		return 0
	case strings.Contains(name, "uuid"):
		return 1
	}
	return 2
}

// groups reports whether an attribute is equal within each parent and differs
// between the parents of a node, and whether it differs between all parents.
func (p *partitioning) groups(name string, used sets.Set[*published.Device]) (grouped, everywhere bool) {
	onNode, all := sets.New[string](), sets.New[string]()
	everywhere = true
	for _, parent := range p.parents {
		devices := parent.Of(used)
		if len(devices) == 0 {
			continue
		}
		value, _ := devices[0].Attribute(name)
		if !every(devices, func(d *published.Device) bool { v, _ := d.Attribute(name); return v == value }) {
			return false, false
		}
		key := strings.Join(devices[0].Nodes, ",") + " " + value
		if onNode.Has(key) {
			return false, false
		}
		everywhere = everywhere && !all.Has(value)
		onNode.Insert(key)
		all.Insert(value)
	}
	return true, everywhere
}

// partitions describes the partitions of the driver.
func (d *discovery) partitions() role {
	p := d.partitioning
	if p == nil {
		return role{why: "no devices on one node are parts of another one, by the counters that they consume"}
	}
	kinds := slices.DeleteFunc(slices.Clone(p.kinds), func(k partitionKind) bool { return k.fit == 0 })
	if len(kinds) == 0 {
		return role{why: "no partition fits on its parent: it consumes more than the counter set has"}
	}
	q, ok := d.requests.find(kinds[0].devices)
	if !ok || len(q.selected) < len(kinds[0].devices) {
		return role{why: "no selector tells the smallest partitions from other devices: add an attribute to them"}
	}
	small := chosenKind{kinds[0], q}
	profile := field{why: "profile: no string attribute of the partitions goes with what they consume."}
	if p.profile != "" {
		profile = field{fmt.Sprintf("Partitions with the same value consume the same amounts: %s.", p.kindNames()), "profile", p.profile}
	}
	return role{
		why: fmt.Sprintf("%s of %s on %s.", plural(len(p.parts), "partition"), plural(len(p.kinds), "kind"), nodes(p.parts)),
		fields: append([]field{
			d.parentsGuess.field(),
			profile,
			{fmt.Sprintf("%s, of which %d fit on one parent. %s", p.several(len(small.devices), small.partitionKind), small.fit, sentence(q.why)), "small", q.Device},
		}, d.combinations(small, kinds[1:])...),
	}
}
