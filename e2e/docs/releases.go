// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/suite"
)

// releasesOf returns the first supported release in which a spec can run by
// default, and the first one with feature gates if that is older. For a spec that
// cannot run in any supported release, it returns the legacy release with feature
// gates.
func releasesOf(s suite.Spec) (string, error) {
	text, err := releasesAmong(s, clusters.Releases())
	if err == nil && text == "none" {
		return releasesAmong(s, clusters.Legacy())
	}
	return text, err
}

func releasesAmong(s suite.Spec, releases []clusters.Release) (string, error) {
	oldestFirst := slices.Clone(releases)
	slices.Reverse(oldestFirst)
	var withGates string
	for _, release := range oldestFirst {
		if !s.RunsOn(release.Minor) {
			continue
		}
		set, possible, err := missingGates(s, release)
		switch {
		case err != nil:
			return "", err
		case !possible:
			continue
		case len(set) == 0 && withGates == "":
			return release.Minor + "+", nil
		case len(set) == 0:
			return fmt.Sprintf("%s+; %s", release.Minor, withGates), nil
		case withGates == "":
			withGates = fmt.Sprintf("%s with %s", release.Minor, strings.Join(set, ", "))
		}
	}
	if withGates == "" {
		return "none", nil
	}
	return withGates, nil
}

// missingGates returns the feature gates whose defaults in a release must be
// changed for a spec. possible is false if the release does not allow that.
func missingGates(s suite.Spec, release clusters.Release) (set []string, possible bool, err error) {
	defaults, err := gates.Parse("default", release)
	if err != nil {
		return nil, false, err
	}
	states := map[string]gates.State{}
	for _, state := range defaults.States() {
		states[state.Name] = state
	}
	for _, f := range s.Features {
		gate := f.Gate()
		if gate == "" {
			continue // The feature does not depend on the release.
		}
		if _, known := states[gate]; !known || !f.In(release.Minor) {
			return nil, false, nil
		}
		if !states[gate].Enabled {
			set = append(set, gate)
		}
	}
	for _, f := range s.AbsentFeatures {
		switch state := states[f.Gate()]; {
		case state.Enabled && state.Locked:
			return nil, false, nil
		case state.Enabled:
			set = append(set, state.Name+"=false")
		}
	}
	return set, true, nil
}
