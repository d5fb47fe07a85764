package gates

import (
	"maps"

	"github.com/draconform/draconform/clusters"
)

// Of returns the set that a component of the release runs with, from the feature gates that it is configured with, and
// those of them that the release's part of the table does not have. It is exactly what is configured: gates without those
// that they need, which Parse does not make, stay so.
func Of(configured map[string]bool, r clusters.Release) (set Set, others map[string]bool) {
	set, others = defaults(r), map[string]bool{}
	for name, on := range configured {
		if _, known := set.on[name]; known {
			set.on[name] = on
		} else {
			others[name] = on
		}
	}
	for _, base := range []string{nameDefault, nameAlpha, nameOff} {
		if maps.Equal(named(base, r).on, set.on) {
			set.name = base
			return set, others
		}
	}
	set.name = normalize(nameDefault, set.FeatureGates())
	return set, others
}

// In returns the set of the same name in another release. It is an error if the set lists a gate that the release lacks or
// locks to another value.
func (s Set) In(r clusters.Release) (Set, error) {
	return Parse(s.name, r)
}

// Equal reports whether both sets are of the same release and have the same gates on.
func (s Set) Equal(other Set) bool {
	return s.release == other.release && maps.Equal(s.on, other.on)
}
