// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// coreRule is what the core specs of a profile may depend on, because every
// implementation of the profile has it. docs/verdict.md has the same rules in
// words. No core spec needs a newer release than the oldest supported one, the
// absence of a feature, or an optional field of a driver file, except where a
// rule says so.
type coreRule struct {
	components []env.Component
	// features are exactly those that the specs need.
	features []features.Feature
	// kinds and needs are at most those that the specs have.
	kinds []subject.Kind
	needs []env.Need
	// sees is at most what the specs need to see of devices in containers.
	sees subject.Visibility
}

// onSchedulers returns the rule of profiles of schedulers and API servers. The
// devices are those of the specs, so that every implementation is asked the
// same, also without a kubelet and a driver.
func onSchedulers(more ...features.Feature) coreRule {
	return coreRule{
		components: []env.Component{env.Scheduler, env.Cluster}, features: append([]features.Feature{features.Core}, more...), needs: []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace},
	}
}

var coreRules = map[string]coreRule{
	"partitioning":     onSchedulers(features.Partitions),
	"multi-host":       onSchedulers(features.Partitions),
	"prioritized-list": onSchedulers(features.PrioritizedList),
	"capacity":         onSchedulers(features.SharedDevices),
	"sharing-affinity": onSchedulers(features.SharedDevices, features.SharingAffinity),
	// Of a driver only its file is known. It has to say how containers see
	// devices, because whether they get the allocated ones is what the profile is
	// about.
	"driver": {components: []env.Component{env.Driver}, features: []features.Feature{features.Core}, kinds: []subject.Kind{subject.KindExclusive}, sees: subject.Identified},
}

// exceeds returns what a spec depends on in addition to a rule, or an empty
// string.
func (r coreRule) exceeds(s suite.Spec) string {
	switch {
	case !slices.Contains(r.components, s.Component):
		return "tests the component " + string(s.Component)
	case !containsAll(s.Features, r.features) || !containsAll(r.features, s.Features):
		return fmt.Sprintf("needs the features %v", s.Features)
	case !containsAll(r.kinds, s.Kinds):
		return fmt.Sprintf("uses devices of the kinds %v", s.Kinds)
	case !containsAll(r.needs, s.Needs):
		return fmt.Sprintf("needs %v", s.Needs)
	case s.Sees > r.sees:
		return "needs to see devices in containers"
	case len(s.AbsentFeatures)+len(s.Fields) > 0 || s.Since != "" || s.Journey != nil:
		return "is for certain clusters, releases or drivers"
	}
	return ""
}

func containsAll[T comparable](all, some []T) bool {
	return !slices.ContainsFunc(some, func(one T) bool { return !slices.Contains(all, one) })
}

// A core spec that an implementation cannot run would make its conformance
// impossible. An extended spec that every implementation can run would not be
// required of any.
func TestLevels(t *testing.T) {
	g := NewWithT(t)
	core := map[string]int{}
	for _, s := range specs.All() {
		if s.Level == suite.Provisional {
			continue
		}
		rule, ok := coreRules[s.Profile]
		g.Expect(ok).To(BeTrue(), "profile %s has no rule", s.Profile)
		why := rule.exceeds(s)
		if s.Level == suite.Core {
			core[s.Profile]++
			g.Expect(why).To(BeEmpty(), "core spec %s of the profile %s should not depend on more than the rule of the profile allows", s.ID, s.Profile)
		} else {
			g.Expect(why).NotTo(BeEmpty(), "spec %s of the profile %s depends on nothing that an implementation may lack: it should be core, or provisional if it is new", s.ID, s.Profile)
		}
	}
	for profile := range coreRules {
		g.Expect(core[profile]).To(BeNumerically(">", 2), "core specs of the profile %s", profile)
	}
}
