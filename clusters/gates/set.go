package gates

import (
	"slices"

	"github.com/draconform/draconform/clusters"
)

// Set says for one release which feature gates around DRA are on. Parse makes one.
type Set struct {
	release clusters.Release
	name    string
	on      map[string]bool // every gate of the table that the release has
	listed  map[string]bool // what was set by name, without what follows from it
}

// State is what is known of one feature gate in a Set, for reports.
type State struct {
	Name  string `json:"name"`
	Stage Stage  `json:"stage"`
	// Enabled is whether the gate is on in this set.
	Enabled bool `json:"enabled"`
	// Default is whether the gate is on if nothing is configured.
	Default bool `json:"default"`
	// Locked is whether Kubernetes refuses to start with anything but the default.
	Locked bool `json:"locked,omitempty"`
}

// Name returns "default", "alpha" or "off" for the set of that name, and for any other the list that Parse read, in a
// normal form that Parse reads again.
func (s Set) Name() string { return s.name }

// FeatureGates returns what kind's featureGates must contain: the gates that differ from the release's defaults, and those
// that were set by name, which stay as they are in a release with other defaults. kind passes them to every component.
func (s Set) FeatureGates() map[string]bool {
	configured := map[string]bool{}
	for _, g := range gatesOf(s.release.Minor) {
		if on := s.on[g.name]; s.lists(g.name) || on != g.in[s.release.Minor].on {
			configured[g.name] = on
		}
	}
	return configured
}

func (s Set) lists(name string) bool {
	_, listed := s.listed[name]
	return listed
}

// RuntimeConfig returns what kind's runtimeConfig must contain: the API versions that the gates which are on need and
// that the release does not serve by default. It is empty if there are none.
func (s Set) RuntimeConfig() map[string]string {
	served := map[string]string{}
	for _, g := range gatesOf(s.release.Minor) {
		if needed, ok := g.serves[s.release.Minor]; ok && s.on[g.name] {
			served[needed.groupVersion] = "true"
		}
	}
	return served
}

// MovedAPIs returns the gates that are on and whose API the components of another minor release, which has the gate too,
// read in another version than this release serves: their informers would never sync.
func (s Set) MovedAPIs(minor string) []string {
	var moved []string
	for _, g := range gatesOf(s.release.Minor) {
		here, watched := g.serves[s.release.Minor]
		if watched && s.on[g.name] && here.groupVersion != g.serves[minor].groupVersion {
			moved = append(moved, g.name)
		}
	}
	return moved
}

// Enabled reports whether the gate is on, and whether the release has such a gate at all. Beside DRA's own gates it knows
// those that they need, and ResourceHealthStatus.
func (s Set) Enabled(gate string) (enabled, known bool) {
	enabled, known = s.on[gate]
	return enabled, known
}

// States returns every gate that Enabled knows, in the order of their names.
func (s Set) States() []State {
	var states []State
	for _, g := range gatesOf(s.release.Minor) {
		in := g.in[s.release.Minor]
		states = append(states, State{
			Name: g.name, Stage: in.stage, Enabled: s.on[g.name], Default: in.on, Locked: in.locked,
		})
	}
	return states
}

// defaults returns the set of what the release has on by default.
func defaults(r clusters.Release) Set {
	s := Set{release: r, name: nameDefault, on: map[string]bool{}}
	for _, g := range gatesOf(r.Minor) {
		s.on[g.name] = g.in[r.Minor].on
	}
	return s
}

// enable switches the gate on, and what it needs.
func (s Set) enable(name string) {
	for _, n := range append(needs(name), name) {
		s.on[n] = true
	}
}

// disable switches the gate off, and what needs it.
func (s Set) disable(name string) {
	s.on[name] = false
	for dependent := range s.on {
		if slices.Contains(needs(dependent), name) {
			s.on[dependent] = false
		}
	}
}

// needs returns all gates that the gate needs, directly or through others.
func needs(name string) []string {
	g, _ := find(name)
	all := slices.Clone(g.needs)
	for _, n := range g.needs {
		all = append(all, needs(n)...)
	}
	return all
}
