// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/draconform/draconform/e2e/subject/published"
)

// checkUnique checks that devices have different values of an attribute.
func (c *checker) checkUnique(field, attribute string, devices []*published.Device) {
	for _, d := range devices {
		if _, found := d.Attribute(attribute); !found {
			c.report(Problem, "identity", field, "device %s has no string attribute %s: use an attribute that all devices have", d.ID(), attribute)
			return
		}
	}
	if first, second := published.Duplicate(devices, attribute); first != nil {
		value, _ := first.Attribute(attribute)
		c.report(Problem, "identity", field, "devices %s and %s both have %s %q: use an attribute that is unique in the cluster", first.ID(), second.ID(), attribute, value)
		return
	}
	c.report(OK, "identity", field, "%d devices have different values of %s", len(devices), attribute)
}

// checkParents checks that the attribute of parents groups whole devices and
// partitions as their counters do, and that the profile distinguishes kinds.
func (c *checker) checkParents(u *uses, parents []*published.Parent) {
	p := c.file.Roles.Partitions
	if p.Profile != "" {
		c.checkProfile(u, c.file.Expand(p.Profile))
	}
	if p.Parents == nil || len(u.whole.selected) == 0 {
		return
	}
	const field = "roles.partitions.parents.attribute"
	attribute := c.file.Expand(p.Parents.Attribute)
	used := sets.New(u.whole.selected...).Insert(u.small.selected...)
	for _, other := range append(append([]*use{}, u.mix...), u.full...) {
		used.Insert(other.selected...)
	}
	parentOf := map[string]*published.Device{}
	for _, parent := range parents {
		value, first := "", (*published.Device)(nil)
		for _, d := range parent.Of(used) {
			switch own, found := d.Attribute(attribute); {
			case !found:
				c.report(Problem, "parent", field, "device %s has no string attribute %s: use one that whole devices and partitions have", d.ID(), attribute)
				return
			case first == nil:
				value, first = own, d
			case own != value:
				c.report(Problem, "parent", field, "devices %s and %s consume counters of one parent, and %s is %q and %q: use an attribute that is equal for both", first.ID(), d.ID(), attribute, value, own)
				return
			}
		}
		if other := parentOf[value]; other != nil && first != nil {
			c.report(Problem, "parent", field, "devices %s and %s have different parents, and both have %s %q: use an attribute that differs between all parents of the cluster", other.ID(), first.ID(), attribute, value)
			return
		}
		parentOf[value] = first
	}
	c.report(OK, "parent", field, "%s groups the devices of %d parents", attribute, len(parents))
}

// checkProfile checks that the attribute is equal for small partitions, and has
// another value for big ones.
func (c *checker) checkProfile(u *uses, attribute string) {
	const field = "roles.partitions.profile"
	values := sets.New[string]()
	for _, d := range u.small.selected {
		value, found := d.Attribute(attribute)
		if !found {
			c.report(Problem, "profile", field, "partition %s has no string attribute %s: use one that all partitions have", d.ID(), attribute)
			return
		}
		values.Insert(value)
	}
	if len(values) > 1 {
		c.report(Problem, "profile", field, "small selects partitions with several values of %s: %v. Restrict its selectors to one", attribute, sets.List(values))
		return
	}
	if u.big != nil {
		for _, d := range u.big.selected {
			if value, _ := d.Attribute(attribute); values.Has(value) {
				c.report(Problem, "profile", field, "small and big both select partitions with %s %q: they should be of different kinds", attribute, value)
				return
			}
		}
	}
	c.report(OK, "profile", field, "%s distinguishes kinds of partitions", attribute)
}

// combination is partitions that a role states to fit on a parent together.
type combination struct {
	field, text string
	of          []*use
	// leavesNoRoom is set if no small partition may fit in addition.
	leavesNoRoom bool
}

// checkCombinations checks that partitions fit on a parent together.
func (c *checker) checkCombinations(u *uses, parents []*published.Parent) {
	all := []combination{{u.small.field, "two of small", []*use{u.small, u.small}, false}}
	if u.big != nil {
		all = append(all, combination{u.big.field, "two of big", []*use{u.big, u.big}, false}, combination{u.big.field, "small and big", []*use{u.small, u.big}, false})
	}
	if len(u.mix) > 0 {
		all = append(all, combination{"roles.partitions.mix", "all of mix", u.mix, false})
	}
	if len(u.full) > 0 {
		all = append(all, combination{"roles.partitions.full", "all of full", u.full, true})
	}
	for _, combination := range all {
		c.checkCombination(combination, u.small, parents)
	}
}

func (c *checker) checkCombination(of combination, small *use, parents []*published.Parent) {
	fitting := 0
	for _, parent := range parents {
		var lists [][]*published.Device
		for _, device := range of.of {
			lists = append(lists, parent.Of(sets.New(device.selected...)))
		}
		if !parent.Fits(lists...) {
			continue
		}
		fitting++
		if of.leavesNoRoom && !parent.Fills(lists, parent.Of(sets.New(small.selected...))) {
			c.report(Problem, "counters", of.field, "%s can be on the parent of %s so that there is room for one of small: choose partitions that use up a counter of which small consumes", of.text, parent.Devices[0].ID())
			return
		}
	}
	if fitting == 0 {
		c.report(Problem, "counters", of.field, "%s do not fit on any of %d parents by their counters: choose smaller partitions", of.text, len(parents))
		return
	}
	c.report(OK, "counters", of.field, "%s fit on %d of %d parents", of.text, fitting, len(parents))
}
