// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/webpage"
)

// A failed provisional spec does not fail the run, and the page says so.
func TestProvisionalFailuresAreMarked(t *testing.T) {
	g := NewWithT(t)
	s := State{Planned: 2, Specs: []report.Spec{
		{ID: "news", Level: suite.Provisional.String(), Outcome: suite.Failed}, {ID: "no-room", Level: suite.Core.String(), Outcome: suite.Failed},
	}}
	page, err := s.fragment()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(page).To(And(ContainSubstring("<h3>news <small>provisional, without effect on the verdict</small></h3>"), ContainSubstring("<h3>no-room</h3>")))
	g.Expect(strings.Count(page, "provisional")).To(Equal(1))
	g.Expect(strings.Index(page, `<h2 id="failed">`)).To(BeNumerically("<", strings.Index(page, `<h2 id="now">`)), "however many specs run now")
}

// The page is accessible to screen readers and keyboards, in each part of a run.
func TestPageIsAccessible(t *testing.T) {
	dir := t.TempDir()
	half(t, dir)
	some, err := Read(dir)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	running := some
	running.Now.Tasks = []progress.TaskState{{Name: "specs", Started: began}}
	silent := some
	silent.Changed = time.Now().Add(-time.Hour)
	for name, state := range map[string]State{"before the specs": {Run: some.Run}, "in the middle": some, "with tasks": running, "after it was killed": silent} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var b strings.Builder
			g.Expect(state.html(&b)).To(Succeed())
			page, err := webpage.Parse(strings.NewReader(b.String()))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(page.Problems()).To(BeEmpty())
		})
	}
}
