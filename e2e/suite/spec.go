// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package suite runs specs against a cluster and a driver. It reports the
// outcome of each spec and the reason for it.
package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// Spec is one behaviour that a cluster and its driver must have.
type Spec struct {
	// ID is the stable name of the spec. It consists of lower-case words joined
	// by dashes.
	ID string
	// Description describes the behaviour.
	Description string
	// Profile is the name of a set of specs with a conformance claim.
	Profile string
	// Level is the effect of the spec on the conformance to its profile.
	// Default: Extended.
	Level Level
	// Features lists the needed features, in addition to those that the devices
	// need. Without one of them the outcome is NotSupported.
	Features []features.Feature
	// AbsentFeatures lists features that must be absent. With one of them the
	// outcome is NotApplicable.
	AbsentFeatures []features.Feature
	// Component is the component that is responsible for a failure.
	Component env.Component
	// Kinds lists the kinds of devices that the spec uses. If no driver offers
	// one of them, the outcome is NotApplicable.
	Kinds []subject.Kind
	// Fields lists what the spec uses of these kinds that not every driver file
	// describes. Without one of them the outcome is NotApplicable.
	Fields []subject.Field
	// Sees is what containers must see of the devices, because the spec would
	// assert nothing otherwise. If the driver file describes less, or containers
	// see less than it describes, the outcome is NotApplicable. Default: nothing.
	Sees subject.Visibility
	// Capabilities lists what a driver of these kinds must be able to do. If its
	// driver file denies it, the outcome is NotApplicable. If the file leaves it
	// open, the body finds out (see [env.ExpectCapability]), or an earlier spec
	// has (see [env.FindOutCapability]).
	Capabilities []subject.Capability
	// Devices is the number of exclusive devices that the spec uses at the same
	// time on one node. Zero means 1. If so many are not free, among other
	// workloads, the outcome is NotApplicable.
	Devices int64
	// MinNodes is the minimum number of worker nodes. With fewer the outcome is
	// NotApplicable.
	MinNodes int
	// OneNode states that the spec uses and disturbs only one node with devices,
	// whichever it is, and that other specs may disturb the others meanwhile.
	OneNode bool
	// Alone states that no other specs may run at the same time, because their
	// changes could have the effect that the spec expects of its own.
	Alone bool
	// Smoke adds the label smoke. The smoke specs show in a short time whether
	// it makes sense to run the others.
	Smoke bool
	// Since is the first release of Kubernetes with the behaviour, such as
	// 1.35. With an older API server, or an older component that the spec
	// tests, the outcome is NotApplicable. Empty means all releases.
	Since string
	// Needs lists what the spec needs in addition to the API. Without one of
	// them the outcome is NotApplicable.
	Needs []env.Need
	// Requirements lists the IDs of the requirements that the spec proves (see
	// the package requirements). The spec fails if one of them is violated. The
	// list is empty if no requirement covers the behaviour.
	Requirements []string
	// Body asserts the behaviour. It fails through Gomega.
	Body func(ctx context.Context, e *env.Env)
	// Journey replaces Body for a scenario that changes the cluster. If the
	// cluster cannot be changed, or differs from the journey's initial cluster,
	// the outcome is NotApplicable.
	Journey *journey.Journey
}

// Labels returns the labels of the spec for label filters: its profile, the
// component that it tests, the features that it needs, its level, such as
// "level:core", "smoke" for smoke specs, and "containers" for those that need nodes
// that run containers.
func (s Spec) Labels() []string {
	labels := []string{s.Profile, string(s.Component), s.Level.label()}
	for _, f := range s.Features {
		labels = append(labels, string(f))
	}
	if s.Smoke {
		labels = append(labels, smokeLabel)
	}
	if s.NeedsContainers() {
		labels = append(labels, containersLabel)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

const (
	smokeLabel      = "smoke"
	containersLabel = "containers"
)

// Validate validates the fields of specs and returns the first error.
func Validate(specs []Spec) error {
	seen := map[string]bool{}
	for _, s := range specs {
		switch {
		case s.ID == "" || strings.Trim(s.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return fmt.Errorf("spec id %q must consist of lower-case letters, digits and dashes", s.ID)
		case seen[s.ID]:
			return fmt.Errorf("spec id %q is used twice", s.ID)
		case s.Since != "" && !semver.IsValid("v"+s.Since):
			return fmt.Errorf("spec %s needs release %q, which is invalid", s.ID, s.Since)
		case s.Level < Extended || s.Level > Provisional:
			return fmt.Errorf("spec %s has an unknown level: %d", s.ID, s.Level)
		case s.Description == "" || s.Profile == "" || s.Component == "" || (s.Body == nil) == (s.Journey == nil):
			return fmt.Errorf("spec %s must have a description, a profile, a component, and either a body or a journey", s.ID)
		}
		seen[s.ID] = true
	}
	return nil
}
