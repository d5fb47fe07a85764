package suite

import (
	"cmp"
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
	of      func(Spec) []string
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

// unknown returns an error about an unknown name. The error lists the known
// names: all of them if there are few, otherwise the similar ones.
func unknown(problem, name string, known []string) error {
	const few = 16
	if len(known) <= few {
		return fmt.Errorf("%s, use %s", problem, strings.Join(known, ", "))
	}
	if similar := near(name, known); len(similar) > 0 {
		return fmt.Errorf("%s, did you mean %s?", problem, strings.Join(similar, ", "))
	}
	return fmt.Errorf("%s: \"draconform list -o wide\" shows what specs have", problem)
}

// near returns the known names that contain a name or differ from it by a few
// letters. It returns at most three, the most similar first.
func near(name string, known []string) []string {
	const most, telling = 3, 3 // maximum number of names; minimum length for a substring match
	slips := max(2, len(name)/5)
	name = strings.ToLower(name)
	similar := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return distance(name, k) > slips && (len(name) < telling || !strings.Contains(k, name))
	})
	slices.SortStableFunc(similar, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
	return similar[:min(most, len(similar))]
}

// distance returns the Levenshtein distance of two ASCII texts: the number of
// letters to insert, remove or replace to turn one into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
