// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/suite/env"
)

// RunsOn reports whether a release of Kubernetes, such as 1.37, is new enough
// for a spec.
func (s Spec) RunsOn(release string) bool {
	return env.Target{Release: "v" + release}.TooOld(s.Since, s.Component) == ""
}

// NeedsContainers reports whether the spec needs nodes that run containers, or drivers
// on them.
func (s Spec) NeedsContainers() bool { return s.MinNodes > 0 || len(s.Kinds) > 0 }

// precludedOutcome returns the outcome of a spec that cannot run, and the
// reason. Both are empty if the spec can run.
func (s Spec) precludedOutcome(target env.Target) (Outcome, string) {
	if why := target.Found.Missing(slices.Concat(s.Features, target.Subject.Needs(s.Kinds))); why != "" {
		return NotSupported, why
	}
	for _, f := range s.AbsentFeatures {
		if p := target.Found[f]; p.Present {
			return NotApplicable, fmt.Sprintf("is for clusters without feature %s: %s", f, p.Source)
		}
	}
	if s.Journey != nil {
		if why := s.Journey.InitialCluster.Mismatch(target); why != "" {
			return NotApplicable, why
		}
	}
	if why := target.OnlySimulatedNodes; why != "" && s.NeedsContainers() {
		return NotApplicable, "needs nodes that run containers; " + why
	}
	if why := target.TooFewNodes(s.MinNodes, s.Kinds); why != "" {
		return NotApplicable, why
	}
	if why := target.Subject.Missing(s.Kinds); why != "" {
		return NotApplicable, why
	}
	if why := target.TooOld(s.Since, s.Component); why != "" {
		return NotApplicable, why
	}
	drivers := target.Subject.Only(s.Kinds).Drivers()
	for _, need := range s.Needs {
		if why := target.Lacks(need, drivers); why != "" {
			return NotApplicable, why
		}
	}
	if why := target.Subject.Denied(s.Capabilities, drivers); why != "" {
		return NotApplicable, why
	}
	if why := target.Subject.Unseen(s.Sees, drivers); why != "" {
		return NotApplicable, why
	}
	// Fields are last, because adding them to a driver file changes none of the
	// reasons above.
	if why := target.Subject.Lacks(s.Fields); why != "" {
		return NotApplicable, why
	}
	return "", ""
}

// Serial reports whether the spec must not run in parallel with others, because
// it disturbs what they use, or because they could disturb it. A spec that is
// not serial can run in parallel with specs that use other drivers.
func (s Spec) Serial() bool {
	parallel := []env.Need{env.NeedsSimulatedNodes, env.NeedsDeviceClasses, env.NeedsNodeAgent, env.NeedsOwnNamespace}
	return s.Journey != nil || s.Alone || slices.ContainsFunc(s.Needs, func(n env.Need) bool { return !n.OfDriver() && !slices.Contains(parallel, n) })
}
