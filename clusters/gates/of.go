package gates

import (
	"maps"

	"github.com/draconform/draconform/clusters"
)

// Of returns the set that a component of the release runs with, from the feature gates that it is configured with, and
// those of them that the release's part of the table does not have. It is exactly what is configured: gates without those
// that they need, which Parse does not make, stay so, and what is set to its default stays listed.
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

// In returns the set of the same name in another release. It is an error if the set lists a gate that the release lacks or
// locks to another value.
func (s Set) In(r clusters.Release) (Set, error) {
	return Parse(s.name, r)
}

// Equal reports whether both sets are of the same release and configured alike. A gate that one sets to its default and
// the other does not mention is a difference: it shows in releases with another default.
func (s Set) Equal(other Set) bool {
	return s.release == other.release && maps.Equal(s.FeatureGates(), other.FeatureGates())
}
