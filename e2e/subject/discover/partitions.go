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
	"github.com/draconform/draconform/internal/rules"
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

// partitionKind is a kind of partitions. fit is how many of them fit on each
// parent that has any.
type partitionKind struct {
	name    string
	devices []*published.Device
	set     sets.Set[*published.Device]
	fit     int
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

// findKinds groups the partitions by the attribute whose values go with what
// partitions consume. Without such an attribute, partitions that consume the
// same amounts are of one kind.
func (p *partitioning) findKinds(d *published.Driver) {
	groups := map[string][]*published.Device{}
	for _, part := range p.parts {
		groups[amounts(part)] = append(groups[amounts(part)], part)
	}
	names := d.StringAttributes(p.parts)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(profileRank(a), profileRank(b)) })
	for _, name := range names {
		if byValue := p.byValue(name); len(byValue) >= len(groups) && name != p.attribute && name != p.localAttribute {
			p.profile, groups = name, byValue
			break
		}
	}
	for name, devices := range groups {
		kind := partitionKind{name: name, devices: devices, set: sets.New(devices...)}
		for _, parent := range p.parents {
			if of := parent.Of(kind.set); len(of) > 0 {
				if n := parent.Most(of); kind.fit == 0 || n < kind.fit {
					kind.fit = n
				}
			}
		}
		p.kinds = append(p.kinds, kind)
	}
	slices.SortFunc(p.kinds, func(a, b partitionKind) int { return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(a.name, b.name)) })
}

func profileRank(name string) int {
	if strings.Contains(strings.ToLower(name), "profile") {
		return 0
	}
	return 1 + rankOf(name)
}

// byValue groups the partitions by an attribute. It returns nil if partitions
// with one value consume different amounts, or if the attribute identifies
// partitions.
func (p *partitioning) byValue(name string) map[string][]*published.Device {
	groups := map[string][]*published.Device{}
	for _, part := range p.parts {
		value, _ := part.Attribute(name)
		groups[value] = append(groups[value], part)
		if amounts(groups[value][0]) != amounts(part) {
			return nil
		}
	}
	if len(groups) > maxValues || len(groups) == len(p.parts) && len(p.parts) > 1 {
		return nil
	}
	return groups
}

// amounts returns the sorted amounts that a device consumes. Partitions of one
// kind consume the same amounts, possibly of different counters.
func amounts(d *published.Device) string {
	var all []string
	for _, q := range rules.Consumption(d.Device.Device) {
		all = append(all, rules.Exact(q).RatString())
	}
	slices.Sort(all)
	return strings.Join(all, ",")
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

// several describes a number of partitions of a kind.
func (p *partitioning) several(n int, k partitionKind) string {
	if p.profile == "" {
		return fmt.Sprintf("%s that consume %s", plural(n, "partition"), k.name)
	}
	return fmt.Sprintf("%s %s", plural(n, "partition"), k.name)
}

// kindNames lists the kinds with how many of each fit on one parent.
func (p *partitioning) kindNames() string {
	var names []string
	for _, k := range p.kinds {
		names = append(names, fmt.Sprintf("%s (%d fit)", k.name, k.fit))
	}
	return strings.Join(names, ", ")
}
