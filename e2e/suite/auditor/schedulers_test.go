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
func TestALookIsJudgedByAllWhoMayHaveAllocatedSinceTheOneBefore(t *testing.T) {
	g := NewWithT(t)
	ours, older := audit.Scheduler{SharingAffinity: true}, audit.Scheduler{UsesIncompletePools: true}
	var all schedulers
	look := func(meanwhile ...audit.Scheduler) audit.Scheduler {
		began := all.count()
		for _, s := range meanwhile {
			all.add(s)
		}
		return all.expected(began)
	}
	all.add(ours)
	g.Expect(look()).To(Equal(ours))
	g.Expect(look(older)).To(Equal(older), "it came while the cluster was looked at")
	g.Expect(look()).To(Equal(older), "the one before may have gone on after it was looked at")
	all.add(ours)
	g.Expect(look()).To(Equal(older), "the one before was there until just now")
	g.Expect(look()).To(Equal(ours))
	all.add(AnyScheduler)
	all.add(ours)
	g.Expect(look()).To(Equal(AnyScheduler), "also of a turn that nobody saw begin")
	g.Expect(look()).To(Equal(ours))
}

func TestWhatIsExpectedOfASchedulerFollowsFromTheCluster(t *testing.T) {
	g := NewWithT(t)
	for release, want := range map[string]audit.Scheduler{
		"v1.34.4": {UsesIncompletePools: true, IgnoresCompatibilityGroups: true}, "v1.35.0": {IgnoresCompatibilityGroups: true}, "v1.37.1": {},
	} {
		g.Expect(SchedulerOf(env.Target{Release: "v1.37.1", Scheduler: release})).To(Equal(want), release)
		g.Expect(SchedulerOf(env.Target{Release: release})).To(Equal(want), "the release of a scheduler that is not known")
	}
	there := env.Target{Release: "v1.37.1", Found: features.Set{features.SharingAffinity: {Present: true}}}
	g.Expect(SchedulerOf(there).SharingAffinity).To(BeTrue())
}
