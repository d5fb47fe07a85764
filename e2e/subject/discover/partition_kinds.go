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

// partitionKind is a kind of partitions. fit is how many of them fit on each
// parent that has any.
type partitionKind struct {
	name    string
	devices []*published.Device
	set     sets.Set[*published.Device]
	fit     int
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
