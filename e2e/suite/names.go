// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"
	"strings"
)

// NameFlag is a flag that selects specs by a name, such as their ID or profile.
// A spec matches if it has one of the names.
type NameFlag struct {
	Flag  string // without leading dashes
	Usage string
	// Names points to the field of the selection that stores the names.
	Names *[]string
	// unknown is the format of the error for a name that no spec has.
	unknown string
	of      func(Spec) []string // returns the names of a spec
}

// NameFlags returns the flags for the names in a selection.
func (s *Selection) NameFlags() []NameFlag {
	return []NameFlag{
		{
			Flag: "id", Usage: "only specs with one of these ids",
			Names: &s.IDs, unknown: "no spec has the id %q", of: func(s Spec) []string { return []string{s.ID} },
		},
		{
			Flag: "profile", Usage: "only specs of one of these profiles",
			Names: &s.Profiles, unknown: "profile %q is not known", of: func(s Spec) []string { return []string{s.Profile} },
		},
		{
			Flag: "feature", Usage: "only specs that need one of these features",
			Names: &s.Features, unknown: "no spec needs the feature %q", of: featureNames,
		},
		{
			Flag: "requirement", Usage: "only specs that prove one of these requirements, or one of these KEPs, such as 4815",
			Names: &s.Requirements, unknown: "no spec proves the requirement %q", of: requirementNames,
		},
	}
}

func featureNames(s Spec) []string {
	var names []string
	for _, f := range s.Features {
		names = append(names, string(f))
	}
	return names
}

// requirementNames returns the IDs of the requirements that a spec proves and
// the numbers of their KEPs. The IDs begin with the number of the KEP.
func requirementNames(s Spec) []string {
	names := slices.Clone(s.Requirements)
	for _, id := range s.Requirements {
		kep, _, _ := strings.Cut(id, "-")
		names = append(names, kep)
	}
	return names
}

// Known returns the names of all specs, sorted.
func (f NameFlag) Known(specs []Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, f.of(s)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// check returns an error for a name that no spec has.
func (f NameFlag) check(specs []Spec) error {
	known := f.Known(specs)
	for _, name := range *f.Names {
		if !slices.Contains(known, name) {
			return unknown(fmt.Sprintf(f.unknown, name), name, known)
		}
	}
	return nil
}

func (f NameFlag) matches(s Spec) bool {
	has := f.of(s)
	return len(*f.Names) == 0 || slices.ContainsFunc(*f.Names, func(name string) bool { return slices.Contains(has, name) })
}
