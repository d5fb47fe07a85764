// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"cmp"
	"strings"

	"golang.org/x/mod/semver"
)

// Step changes one instance.
type Step struct {
	// From is the current configuration of the instance, To the wanted one.
	From, To Running
}

// String returns for example "kubelet of worker: 1.36.3 to 1.37.1, gates default to alpha".
func (s Step) String() string {
	var changes []string
	if s.From.Stopped {
		changes = []string{"stopped to running"}
	}
	for _, c := range []struct{ what, from, to string }{
		{"", s.From.Scheduler, s.To.Scheduler},
		{"", s.From.Release.Version, s.To.Release.Version},
		{"gates ", s.From.Gates.Name(), s.To.Gates.Name()},
	} {
		if c.from != c.to {
			changes = append(changes, c.what+c.from+" to "+c.to)
		}
	}
	if len(changes) == 0 { // sets of gates that differ may have the same name
		changes = []string{cmp.Or(s.From.Unsettled, "again")}
	}
	return s.To.String() + ": " + strings.Join(changes, ", ")
}

// down reports whether the step is a downgrade: to an older release, or to fewer gates.
func (s Step) down() bool {
	if c := semver.Compare("v"+s.To.Release.Version, "v"+s.From.Release.Version); c != 0 {
		return c < 0
	}
	fewer := false
	for _, gate := range s.To.Gates.States() {
		before, _ := s.From.Gates.Enabled(gate.Name)
		if gate.Enabled && !before {
			return false
		}
		fewer = fewer || before && !gate.Enabled
	}
	return fewer
}

// rank orders steps so that no component is ever newer than the API server. The API server is upgraded first and
// downgraded last. Other downgrades run in the reverse order of an upgrade, and before upgrades. index is the
// instance's index in a state of n instances.
func (s Step) rank(index, n int) int {
	apiServer := s.To.Component == APIServer
	switch {
	case apiServer && s.down():
		return 2*n + 1
	case apiServer:
		return -1
	case s.down():
		return n - index
	}
	return n + index
}
