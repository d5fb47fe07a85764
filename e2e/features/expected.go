// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
	resourceapi "k8s.io/api/resource/v1"
)

// Expected returns the features that a cluster with fully known properties will
// have.
func Expected(known Known, overrides Overrides) Set {
	found := known.ofScheduler()
	for f, v := range versions {
		found[f] = v.found(slices.Contains(known.Served, v.String()))
	}
	for _, f := range All() {
		if f.Gate() != "" {
			found[f] = expectedByGate(f.Gate(), known.Gates)
		}
		if why := known.lacks(f); why != "" {
			found[f] = Presence{Source: why}
		}
	}
	return overrides.apply(found)
}

// lacks states that the release does not have the API of a feature. It returns an empty
// string if it has, or if the release is not known.
func (k Known) lacks(f Feature) string {
	minor := strings.TrimPrefix(semver.MajorMinor(k.Server), "v")
	switch {
	case minor != "" && !f.OnlyLegacy() && f.Gate() != "" && !Core.In(minor):
		return fmt.Sprintf("Kubernetes %s does not serve %s", minor, resourceapi.SchemeGroupVersion)
	case onlyIn[f] != "" && !f.In(minor):
		return "only Kubernetes " + onlyIn[f] + " has it"
	}
	return ""
}

func expectedByGate(gate string, gates map[string]bool) Presence {
	on, known := gates[gate]
	switch {
	case !known:
		return Presence{Source: fmt.Sprintf("the release has no feature gate %s", gate)}
	case on:
		return Presence{Present: true, Source: fmt.Sprintf("the feature gate %s will be enabled", gate)}
	}
	return Presence{Source: fmt.Sprintf("the feature gate %s will be disabled", gate)}
}
