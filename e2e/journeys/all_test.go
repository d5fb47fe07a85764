// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/suite"
)

func TestJourneysAreValid(t *testing.T) {
	g := NewWithT(t)
	g.Expect(suite.Validate(journeys.All())).To(Succeed())
	for _, s := range journeys.All() {
		g.Expect(s.Journey).NotTo(BeNil(), s.ID)
		g.Expect(s.Level).To(Or(Equal(suite.Core), Equal(suite.Provisional)), "%s brings its own cluster, so it can run everywhere", s.ID)
		texts := map[string]bool{}
		for _, step := range s.Journey.Steps() {
			g.Expect(texts).NotTo(HaveKey(step.Text), "%s has two steps with this text", s.ID)
			g.Expect(step.Do).NotTo(BeNil(), "%s: %s", s.ID, step.Text)
			texts[step.Text] = true
		}
		g.Expect(len(texts)).To(BeNumerically(">", 1), "%s should have several steps", s.ID)
	}
}

// An invalid initial cluster would cause an error only when the journey runs.
func TestInitialClustersAreValid(t *testing.T) {
	for _, s := range journeys.All() {
		t.Run(s.ID, func(t *testing.T) {
			g := NewWithT(t)
			start := s.Journey.InitialCluster
			release, err := clusters.FindRelease(start.Release)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(start.Release).To(Equal(release.Minor), "the minor release in canonical form")
			set, err := gates.Parse(start.Gates, release)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(skew.CheckScheduler(start.Scheduler, release, set)).To(Succeed())
			g.Expect(start.Workers).To(BeNumerically(">", 0))
		})
	}
}
