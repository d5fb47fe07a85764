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
	for release, incomplete := range map[string]bool{"v1.34.4": true, "v1.35.0": false, "v1.37.1": false} {
		g.Expect(SchedulerOf(env.Target{Release: "v1.37.1", Scheduler: release})).To(Equal(audit.Scheduler{UsesIncompletePools: incomplete}), release)
		g.Expect(SchedulerOf(env.Target{Release: release})).To(Equal(audit.Scheduler{UsesIncompletePools: incomplete}), "an unknown scheduler has the release of the API server")
	}
	target := env.Target{Release: "v1.37.1", Found: features.Set{features.SharingAffinity: {Present: true}}}
	g.Expect(SchedulerOf(target).SharingAffinity).To(BeTrue())
}
