// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"slices"

	"github.com/draconform/draconform/clusters"
)

// Set is the state of the feature gates around DRA in one release. Parse and Of return sets.
type Set struct {
	release clusters.Release
	name    string
	on      map[string]bool // all gates of the table that the release has
	listed  map[string]bool // gates that were set by name, without those that follow from them
}

// State is the state of one feature gate in a Set, for reports.
type State struct {
	Name  string `json:"name"`
	Stage Stage  `json:"stage"`
	// Enabled states whether the gate is on in this set.
	Enabled bool `json:"enabled"`
	// Default states whether the gate is on by default.
	Default bool `json:"default"`
	// Locked states whether Kubernetes fails to start if the gate is not set to its default.
	Locked bool `json:"locked,omitempty"`
}

// Name returns "default", "alpha" or "off" for the set of that name. For any other set it returns a normal form of
// the parsed list, which Parse accepts.
func (s Set) Name() string { return s.name }

// FeatureGates returns the content of kind's featureGates: the gates that differ from the release's defaults, and the
// gates that were set by name, which keep their value in a release with other defaults. kind passes them to every
// component.
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

// RuntimeConfig returns the content of kind's runtimeConfig: the API versions that the enabled gates need and that
// the release does not serve by default, and those that are to be served in addition. It is empty if there are none.
func (s Set) RuntimeConfig(also ...string) map[string]string {
	served := map[string]string{}
	for _, g := range gatesOf(s.release.Minor) {
		if needed, ok := g.serves[s.release.Minor]; ok && s.on[g.name] {
			served[needed.groupVersion] = "true"
		}
	}
	for _, version := range also {
		served[version] = "true"
	}
	return served
}

// MovedAPIs returns the enabled gates whose API version differs between this release and another minor release. The
// informers of components of the other release would never sync.
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

// Enabled reports whether the gate is on, and whether the release has the gate. In addition to DRA's own gates, it
// covers the gates that those need, ResourceHealthStatus and ResourceHealthStatusMessage.
func (s Set) Enabled(gate string) (enabled, known bool) {
	enabled, known = s.on[gate]
	return enabled, known
}

// States returns the state of every gate that Enabled covers, sorted by name.
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

// defaults returns the set of the release's defaults.
func defaults(r clusters.Release) Set {
	s := Set{release: r, name: nameDefault, on: map[string]bool{}}
	for _, g := range gatesOf(r.Minor) {
		s.on[g.name] = g.in[r.Minor].on
	}
	return s
}

// enable enables the gate and the gates that it needs.
func (s Set) enable(name string) {
	for _, n := range append(needs(name), name) {
		s.on[n] = true
	}
}

// disable disables the gate and the gates that need it.
func (s Set) disable(name string) {
	s.on[name] = false
	for dependent := range s.on {
		if slices.Contains(needs(dependent), name) {
			s.on[dependent] = false
		}
	}
}

// needs returns all gates that the gate needs, directly or transitively.
func needs(name string) []string {
	g, _ := find(name)
	all := slices.Clone(g.needs)
	for _, n := range g.needs {
		all = append(all, needs(n)...)
	}
	return all
}
