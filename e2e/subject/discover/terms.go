// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject/published"
	"github.com/draconform/draconform/internal/rules"
)

// term is a condition of a selector.
type term struct {
	expression string
	matches    func(*published.Device) bool
	// rank is lower for conditions that a person would rather use.
	rank int
}

// maxValues is the number of values up to which an attribute distinguishes
// kinds of devices. An attribute with more values identifies devices.
const maxValues = 32

// terms returns conditions that distinguish devices, the best first: the value
// of an attribute, its presence or absence, and whether devices are shared.
func terms(driver *published.Driver, devices []*published.Device) []term {
	all := []term{
		{"device.allowMultipleAllocations == true", (*published.Device).Shared, 0},
		{"device.allowMultipleAllocations == false", func(d *published.Device) bool { return !d.Shared() }, 0},
	}
	for _, name := range attributeNames(driver, devices) {
		all = append(all, attributeTerms(name, devices)...)
	}
	slices.SortStableFunc(all, func(a, b term) int { return cmp.Compare(a.rank, b.rank) })
	return all
}

// attributeNames returns the qualified names of the attributes of devices,
// sorted.
func attributeNames(driver *published.Driver, devices []*published.Device) []string {
	var names []string
	for _, d := range devices {
		for name := range d.Attributes {
			names = append(names, driver.Qualified(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func attributeTerms(name string, devices []*published.Device) []term {
	domain, id, _ := strings.Cut(name, "/")
	has := func(d *published.Device) bool { _, found := rules.Lookup(d.Attributes, d.Driver, name); return found }
	reference := fmt.Sprintf("device.attributes[%q].%s", domain, id)
	presence := fmt.Sprintf("%q in device.attributes[%q]", id, domain)
	var values []string
	missing := false
	for _, d := range devices {
		attribute, found := rules.Lookup(d.Attributes, d.Driver, name)
		missing = missing || !found
		if literal := literalOf(attribute); literal != "" && !slices.Contains(values, literal) && len(values) <= maxValues {
			values = append(values, literal)
		}
	}
	var all []term
	if missing {
		all = append(all,
			term{presence, has, rankOf(id) + 1},
			term{"!(" + presence + ")", func(d *published.Device) bool { return !has(d) }, rankOf(id) + 1})
	}
	if len(values) > maxValues {
		return all
	}
	for _, literal := range values {
		expression := reference + " == " + literal
		if missing { // Reading a missing attribute is an error of the expression.
			expression = presence + " && " + expression
		}
		all = append(all, term{expression, func(d *published.Device) bool {
			attribute, found := rules.Lookup(d.Attributes, d.Driver, name)
			return found && literalOf(attribute) == literal
		}, rankOf(id)})
	}
	return all
}

// literalOf returns the value of an attribute as a literal of CEL. It is empty
// for versions and lists.
func literalOf(a resourceapi.DeviceAttribute) string {
	switch {
	case a.StringValue != nil:
		return strconv.Quote(*a.StringValue)
	case a.IntValue != nil:
		return strconv.FormatInt(*a.IntValue, 10)
	case a.BoolValue != nil:
		return strconv.FormatBool(*a.BoolValue)
	}
	return ""
}

// rankOf returns how well the name of an attribute suits a selector.
func rankOf(id string) int {
	id = strings.ToLower(id)
	switch {
	case isType(id):
		return 10
	case strings.Contains(id, "profile"), strings.Contains(id, "shape"):
		return 20
	case slices.ContainsFunc([]string{"uuid", "serial", "index", "id", "name", "address", "busid", "minor"}, func(part string) bool { return strings.HasSuffix(id, part) }):
		return 90
	}
	return 30
}

// isType reports whether an attribute is probably the type of a device.
func isType(id string) bool {
	id = strings.ToLower(id)
	return strings.HasSuffix(id, "type") || strings.HasSuffix(id, "kind")
}

// both returns the condition that two conditions hold.
func both(a, b term) term {
	return term{a.expression + " && " + b.expression, func(d *published.Device) bool { return a.matches(d) && b.matches(d) }, a.rank + b.rank}
}

// exact returns a condition that holds for all wanted devices and for none of
// the others.
func exact(all []term, want, others []*published.Device) (term, bool) {
	var common []term
	for _, t := range all {
		if !every(want, t.matches) {
			continue
		}
		if !slices.ContainsFunc(others, t.matches) {
			return t, true
		}
		common = append(common, t)
	}
	for i := range common {
		for j := i + 1; j < len(common); j++ {
			if t := both(common[i], common[j]); !slices.ContainsFunc(others, t.matches) {
				return t, true
			}
		}
	}
	return term{}, false
}

// narrow returns a condition that holds for as many of the wanted devices as
// possible, and for none of the others.
func narrow(all []term, want, others []*published.Device) (term, bool) {
	var best term
	most := 0
	try := func(t term) {
		if n := count(want, t.matches); n > most && !slices.ContainsFunc(others, t.matches) {
			best, most = t, n
		}
	}
	for _, t := range all {
		try(t)
	}
	for i := 0; i < len(all) && most == 0; i++ {
		for j := i + 1; j < len(all); j++ {
			try(both(all[i], all[j]))
		}
	}
	return best, most > 0
}

func every(devices []*published.Device, holds func(*published.Device) bool) bool {
	return !slices.ContainsFunc(devices, func(d *published.Device) bool { return !holds(d) })
}

func count(devices []*published.Device, holds func(*published.Device) bool) int {
	n := 0
	for _, d := range devices {
		if holds(d) {
			n++
		}
	}
	return n
}

// without returns the devices that are not in another list.
func without(devices, excluded []*published.Device) []*published.Device {
	not := map[*published.Device]bool{}
	for _, d := range excluded {
		not[d] = true
	}
	return slices.DeleteFunc(slices.Clone(devices), func(d *published.Device) bool { return not[d] })
}

// filter returns the devices for which a condition holds.
func filter(devices []*published.Device, holds func(*published.Device) bool) []*published.Device {
	return slices.DeleteFunc(slices.Clone(devices), func(d *published.Device) bool { return !holds(d) })
}
