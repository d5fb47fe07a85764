// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/internal/similar"
)

const (
	nameDefault = "default"
	nameAlpha   = "alpha"
	nameOff     = "off"
)

// Parse parses a set of feature gates for a release. The set is one of the names below, a list like
// DRAConsumableCapacity=true,DRAPrioritizedList=false, or a name followed by a list, as in
// alpha,DRAExtendedResource=false:
//
//   - default (also the empty string): the gates have the release's defaults. A list without a name starts from this set.
//   - alpha: every DRA gate of the release is on, and so are the gates of other features that they need.
//   - off: every DRA gate that is not locked is off, and so are the gates that need one of them.
//
// A gate that the list enables also enables the gates that it needs. A gate that the list disables also disables the
// gates that need it. A list that contradicts these dependencies is an error.
func Parse(s string, r clusters.Release) (Set, error) {
	if len(gatesOf(r.Minor)) == 0 {
		return Set{}, fmt.Errorf("parse feature gates %q: Kubernetes %q is not supported", s, r.Minor)
	}
	base, list := split(s)
	set := named(base, r)
	wanted, err := parseList(list, r)
	if err != nil {
		return Set{}, fmt.Errorf("parse feature gates %q: %w", s, err)
	}
	if err := set.apply(wanted); err != nil {
		return Set{}, fmt.Errorf("parse feature gates %q: %w", s, err)
	}
	set.name, set.listed = normalize(base, wanted), essential(wanted)
	return set, nil
}

// split separates the name of a set from the list that follows it.
func split(s string) (base string, list []string) {
	for item := range strings.SplitSeq(s, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	if len(list) > 0 && slices.Contains([]string{nameDefault, nameAlpha, nameOff}, list[0]) {
		return list[0], list[1:]
	}
	return nameDefault, list
}

// named returns the set with the given name.
func named(base string, r clusters.Release) Set {
	set := defaults(r)
	set.name = base
	for _, g := range gatesOf(r.Minor) {
		switch {
		case base == nameAlpha && isDRA(g.name):
			set.enable(g.name)
		case base == nameOff && isDRA(g.name) && !g.in[r.Minor].locked:
			set.disable(g.name)
		}
	}
	return set
}

// parseList parses items of the form Name=true and Name=false.
func parseList(items []string, r clusters.Release) (map[string]bool, error) {
	wanted := map[string]bool{}
	for _, item := range items {
		name, value, found := strings.Cut(item, "=")
		on, err := strconv.ParseBool(value)
		if !found || err != nil {
			return nil, fmt.Errorf("%q is neither Name=true nor Name=false, and default, alpha and off may only come first%s", item, meant(name, r))
		}
		if err := check(name, on, r); err != nil {
			return nil, err
		}
		if before, twice := wanted[name]; twice && before != on {
			return nil, fmt.Errorf("%s is set to both true and false", name)
		}
		wanted[name] = on
	}
	return wanted, nil
}

// meant returns a question about the set or the gate that the user may have meant.
func meant(name string, r clusters.Release) string {
	known := []string{nameDefault, nameAlpha, nameOff}
	if slices.Contains(known, name) {
		return ""
	}
	for _, g := range gatesOf(r.Minor) {
		known = append(known, g.name+"=true")
	}
	names := similar.Names(name, known)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(": did you mean %s?", strings.Join(names, ", "))
}

// check returns an error if the gate cannot have this value in the release.
func check(name string, on bool, r clusters.Release) error {
	g, _ := find(name)
	in, ok := g.in[r.Minor]
	switch {
	case !ok:
		return unknown(name, r)
	case in.locked && on != in.on:
		return fmt.Errorf("%s=%t is not possible, Kubernetes %s locks it to %t", name, on, r.Minor, in.on)
	case !isDRA(name) && !on && in.on:
		// Gates that the table does not list may need it, and Kubernetes would fail to start.
		return fmt.Errorf("%s=false is not possible, only DRA gates can be disabled", name)
	}
	return nil
}

// unknown returns an error that lists the gates of the release and the releases in which the gate exists.
func unknown(name string, r clusters.Release) error {
	var known []string
	for _, g := range gatesOf(r.Minor) {
		known = append(known, g.name)
	}
	elsewhere := ""
	if g, ok := find(name); ok {
		elsewhere = ", only in " + strings.Join(slices.Sorted(maps.Keys(g.in)), ", ")
	}
	return fmt.Errorf("%q is not known in Kubernetes %s%s; known are %s", name, r.Minor, elsewhere, strings.Join(known, ", "))
}

// apply sets the gates of a list and the gates that depend on them. The list overrides the set. The order of the
// gates does not matter, because a list that disables a gate which another gate of the list needs is an error.
func (s Set) apply(wanted map[string]bool) error {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !wanted[name] {
			s.disable(name)
			continue
		}
		for _, need := range needs(name) {
			if on, set := wanted[need]; set && !on {
				return fmt.Errorf("%s=true contradicts %s=false, which it needs", name, need)
			}
		}
		s.enable(name)
	}
	return nil
}

// essential removes the items of a list that follow from its other items.
func essential(wanted map[string]bool) map[string]bool {
	rest := maps.Clone(wanted)
	for name, on := range wanted {
		for _, need := range needs(name) {
			switch needOn, listed := wanted[need]; {
			case listed && on && needOn:
				delete(rest, need)
			case listed && !on && !needOn:
				delete(rest, name)
			}
		}
	}
	return rest
}

// normalize formats a set in the form that Parse accepts.
func normalize(base string, wanted map[string]bool) string {
	var items []string
	if base != nameDefault || len(wanted) == 0 {
		items = append(items, base)
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		items = append(items, fmt.Sprintf("%s=%t", name, wanted[name]))
	}
	return strings.Join(items, ",")
}
