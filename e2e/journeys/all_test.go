package journeys_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/suite"
)

func TestJourneysAreDescribed(t *testing.T) {
	g := NewWithT(t)
	g.Expect(suite.Validate(journeys.All())).To(Succeed())
	for _, s := range journeys.All() {
		g.Expect(s.Journey).NotTo(BeNil(), s.ID)
		texts := map[string]bool{}
		for _, stop := range s.Journey.Steps() {
			g.Expect(texts).NotTo(HaveKey(stop.Text), "%s has two stops of this text", s.ID)
			g.Expect(stop.Do).NotTo(BeNil(), "%s: %s", s.ID, stop.Text)
			texts[stop.Text] = true
		}
		g.Expect(len(texts)).To(BeNumerically(">", 1), "%s should change something", s.ID)
	}
}

// The start state of each journey must be a valid cluster. Otherwise the error
// would show only when the journey runs.
func TestJourneysBeginInClustersThatThereAre(t *testing.T) {
	for _, s := range journeys.All() {
		t.Run(s.ID, func(t *testing.T) {
			g := NewWithT(t)
			start := s.Journey.InitialCluster
			release, err := clusters.FindRelease(start.Release)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(start.Release).To(Equal(release.Minor), "the minor release, as clusters tell it")
			set, err := gates.Parse(start.Gates, release)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(kind.CheckScheduler(start.Scheduler, release, set)).To(Succeed())
			g.Expect(start.Workers).To(BeNumerically(">", 0))
		})
	}
}
