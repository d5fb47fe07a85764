package features

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Overrides are features that the caller declares present or absent, regardless
// of what is detected.
type Overrides map[Feature]bool

const (
	present = "present"
	absent  = "absent"
)

// ParseOverrides parses "name=present" and "name=absent". Unknown names and
// contradictory declarations are errors.
func ParseOverrides(texts []string) (Overrides, error) {
	overrides := Overrides{}
	for _, text := range texts {
		name, value, _ := strings.Cut(text, "=")
		feature := Feature(name)
		switch {
		case !slices.Contains(All(), feature):
			return nil, fmt.Errorf("override %q: feature %q is not known, use %s", text, name, joinNames(All()))
		case value != present && value != absent:
			return nil, fmt.Errorf("override %q must be %s=%s or %s=%s", text, name, present, name, absent)
		}
		if before, twice := overrides[feature]; twice && before != (value == present) {
			return nil, fmt.Errorf("override %q: feature %s cannot be both %s and %s", text, name, present, absent)
		}
		overrides[feature] = value == present
	}
	return overrides, nil
}

// Overridden returns the features that the caller declared, in the format of
// ParseOverrides and sorted by name.
func (s Set) Overridden() []string {
	var texts []string
	for _, f := range slices.Sorted(maps.Keys(s)) {
		if p := s[f]; p.Overridden {
			texts = append(texts, string(f)+"="+state(p.Present))
		}
	}
	return texts
}

// apply overrides the detected presence. Source includes what the cluster
// showed.
func (o Overrides) apply(found Set) Set {
	for f, declared := range o {
		source := fmt.Sprintf("declared %s by the caller; %s", state(declared), found[f].Source)
		found[f] = Presence{Present: declared, Source: source, Overridden: true}
	}
	return found
}

func state(isPresent bool) string {
	if isPresent {
		return present
	}
	return absent
}

func joinNames(features []Feature) string {
	names := make([]string, len(features))
	for i, f := range features {
		names[i] = string(f)
	}
	return strings.Join(names, ", ")
}
