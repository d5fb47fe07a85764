// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"regexp"
	"slices"
	"strings"
)

func (v *validator) containers() {
	for i := range v.driver.Containers {
		v.source(indexed("containers", i), v.driver.Containers[i])
	}
}

func (v *validator) source(path string, s Source) {
	set := s.set()
	if s.Metadata {
		set = append(set, "metadata")
	}
	if len(set) != 1 {
		v.problem(path, "needs exactly one of metadata, environment, deviceNodes, mounts and interfaces, and has %s", orNone(set))
		return
	}
	if s.Metadata {
		if s.Attribute != "" || s.Presence {
			v.problem(path, "metadata names the devices: attribute and presence cannot be set")
		}
		return
	}
	if s.Attribute != "" {
		v.qualifiedName(path+".attribute", s.Attribute)
	}
	groups, ok := v.groups(path, s.Pattern, []string{groupDriver, groupPool, groupDevice, groupAttribute})
	if !ok {
		return
	}
	identifies := slices.Contains(groups, groupDevice) || slices.Contains(groups, groupAttribute)
	switch {
	case s.Attribute != "" && !slices.Contains(groups, groupAttribute):
		v.problem(path+".attribute", "no pattern has the group (?P<attribute>...), which is its value")
	case s.Attribute == "" && slices.Contains(groups, groupAttribute):
		v.problem(path, "a pattern has the group (?P<attribute>...): set attribute to the name of that attribute")
	case s.Presence && identifies:
		v.problem(path+".presence", "the patterns have groups that identify the device: leave out one or the other")
	case !s.Presence && !identifies:
		v.problem(path, "no pattern has the group (?P<device>...) or (?P<attribute>...): add one, or \"presence: true\" if a match only shows that there is a device")
	}
}

// part validates how a container sees its part of a multi-host device.
func (v *validator) part(path string, p *HostPart) {
	if len(p.Sources) == 0 {
		v.problem(path+".sources", "must not be empty")
		return
	}
	var groups []string
	valid := true
	for i, source := range p.Sources {
		at := indexed(path+".sources", i)
		if set := source.set(); len(set) != 1 {
			v.problem(at, "needs exactly one of environment, deviceNodes, mounts and interfaces, and has %s", orNone(set))
			valid = false
			continue
		}
		of, ok := v.groups(at, source, []string{groupDriver, groupNodes, groupNode, groupIndex, groupPieces})
		groups, valid = append(groups, of...), valid && ok
	}
	has := func(group string) bool { return slices.Contains(groups, group) }
	switch {
	case !valid: // The groups are not known.
	case !has(groupNodes) || !has(groupPieces):
		v.problem(path, "the patterns need the groups (?P<nodes>...) and (?P<pieces>...)")
	case has(groupNode) == has(groupIndex):
		v.problem(path, "the patterns need one of the groups (?P<node>...) and (?P<index>...)")
	}
}

func (v *validator) seen(path string, p Pattern) {
	if set := p.set(); len(set) != 1 {
		v.problem(path, "needs exactly one of environment, deviceNodes, mounts and interfaces, and has %s", orNone(set))
		return
	}
	v.groups(path, p, []string{groupDriver})
}

// set returns the names of the fields that are set.
func (p Pattern) set() []string {
	var set []string
	for _, field := range []struct {
		name string
		set  bool
	}{
		{"environment", p.Environment != nil},
		{"deviceNodes", p.DeviceNodes != nil},
		{"mounts", p.Mounts != nil},
		{"interfaces", p.Interfaces != nil},
	} {
		if field.set {
			set = append(set, field.name)
		}
	}
	return set
}

// orNone joins names for a message.
func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// groups validates the regular expressions of a pattern, and returns their
// named groups. It reports whether they are valid.
func (v *validator) groups(path string, p Pattern, known []string) (all []string, ok bool) {
	before := len(v.problems)
	for _, named := range p.patterns(path) {
		compiled, err := regexp.Compile(v.driver.expandPattern(named.pattern))
		if err != nil {
			v.problem(named.path, "%w", err)
			continue
		}
		for _, group := range compiled.SubexpNames() {
			switch {
			case group == "": // not named
			case !slices.Contains(known, group):
				v.problem(named.path, "the group %q is not known, use one of %s", group, strings.Join(known, ", "))
			case slices.Contains(all, group):
				v.problem(named.path, "the group %q is in two patterns", group)
			default:
				all = append(all, group)
			}
		}
	}
	return all, len(v.problems) == before
}
