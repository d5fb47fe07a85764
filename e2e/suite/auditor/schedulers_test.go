// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package auditor

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/env"
)

// The auditor applies the rules of every scheduler that may have allocated
// since the previous audit, and of no earlier one.
func TestExpectedCombinesTheSchedulersSinceThePreviousAudit(t *testing.T) {
	g := NewWithT(t)
	ours, older := audit.Scheduler{SharingAffinity: true}, audit.Scheduler{UsesIncompletePools: true}
	var all schedulers
	check := func(meanwhile ...audit.Scheduler) audit.Scheduler {
		first := all.count()
		for _, s := range meanwhile {
			all.add(s)
		}
		return all.expected(first)
	}
	all.add(ours)
	g.Expect(check()).To(Equal(ours))
	g.Expect(check(older)).To(Equal(older), "the scheduler changed during the audit")
	g.Expect(check()).To(Equal(older), "the scheduler may have allocated after the previous audit")
	all.add(ours)
	g.Expect(check()).To(Equal(older), "the scheduler has been replaced since the previous audit")
	g.Expect(check()).To(Equal(ours))
	all.add(AnyScheduler)
	all.add(ours)
	g.Expect(check()).To(Equal(AnyScheduler), "the scheduler changed twice since the previous audit")
	g.Expect(check()).To(Equal(ours))
}

func TestSchedulerOfTarget(t *testing.T) {
	g := NewWithT(t)
	recorded := features.Set{features.DeviceTaints: {Present: true}, features.BindingConditions: {Present: true}, features.OptionalNodeOperations: {Present: true}}
	for release, want := range map[string]audit.Scheduler{
		"v1.34.4": {UsesIncompletePools: true, IgnoresCompatibilityGroups: true, OmitsTolerations: true}, "v1.35.0": {IgnoresCompatibilityGroups: true}, "v1.37.1": {},
	} {
		g.Expect(SchedulerOf(env.Target{Release: "v1.37.1", Scheduler: release, Found: recorded})).To(Equal(want), release)
	}
	for release, want := range map[string]audit.Scheduler{
		"v1.35.4": {UsesIncompletePools: true, IgnoresCompatibilityGroups: true, OmitsTolerations: true}, "v1.36.0": {IgnoresCompatibilityGroups: true}, "v1.38.1": {},
	} {
		g.Expect(SchedulerOf(env.Target{Release: release, Found: recorded})).To(Equal(want), "an unknown scheduler may be a release older than the API server %s", release)
	}
	without := audit.Scheduler{OmitsTolerations: true, OmitsBindingConditions: true, OmitsSkippedOperations: true}
	g.Expect(SchedulerOf(env.Target{Release: "v1.37.1", Scheduler: "v1.37.1"})).To(Equal(without), "the features are disabled")
	target := env.Target{Release: "v1.37.1", Found: features.Set{features.SharingAffinity: {Present: true}}}
	g.Expect(SchedulerOf(target).SharingAffinity).To(BeTrue())
}
