// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Presence states whether a cluster has a feature and how that was determined.
type Presence struct {
	Present bool   `json:"present"`
	Source  string `json:"source"`
	// Overridden states that the caller declared the presence. Source includes
	// what the cluster showed.
	Overridden bool `json:"overridden,omitempty"`
}

// Set maps features to their presence in a cluster.
type Set map[Feature]Presence

// Missing states which of the needed features a cluster lacks and why. It
// returns an empty string if it lacks none.
func (s Set) Missing(needed []Feature) string {
	var reasons []string
	for _, f := range needed {
		if p := s[f]; !p.Present {
			reasons = append(reasons, fmt.Sprintf("feature %s is absent: %s", f, p.Source))
		}
	}
	return strings.Join(reasons, "; ")
}

// Names returns the present features of the set, sorted.
func (s Set) Names() []Feature {
	names := slices.Sorted(maps.Keys(s))
	return slices.DeleteFunc(names, func(f Feature) bool { return !s[f].Present })
}
