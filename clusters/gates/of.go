// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"maps"

	"github.com/draconform/draconform/clusters"
)

// Of returns the set of a component of the release that is configured with the given feature gates. Others are the
// configured gates that the table does not have for the release. The set is exactly the configuration. Unlike Parse,
// Of does not add the gates that a configured gate needs. Gates that are configured with their default stay listed.
func Of(configured map[string]bool, r clusters.Release) (set Set, others map[string]bool) {
	set, others = defaults(r), map[string]bool{}
	known := map[string]bool{}
	for name, on := range configured {
		if _, ok := set.on[name]; ok {
			known[name] = on
		} else {
			others[name] = on
		}
	}
	maps.Copy(set.on, known)
	set.listed = essential(known)
	for _, base := range []string{nameDefault, nameAlpha, nameOff} {
		if whole := named(base, r); whole.Equal(set) {
			return whole, others
		}
	}
	set.name = normalize(nameDefault, set.listed)
	return set, others
}

// In returns the set of the same name in another release. It returns an error if the set lists a gate that the
// release lacks or locks to another value.
func (s Set) In(r clusters.Release) (Set, error) {
	return Parse(s.name, r)
}

// Equal reports whether both sets have the same release and configuration. A gate that only one of them configures,
// with its default, is a difference: it has an effect in releases with another default.
func (s Set) Equal(other Set) bool {
	return s.release == other.release && maps.Equal(s.FeatureGates(), other.FeatureGates())
}
