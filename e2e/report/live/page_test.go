// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"

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
	g.Expect(page).To(And(ContainSubstring(`<h3 id="spec-news">news <small>provisional, without effect on the verdict</small></h3>`), ContainSubstring(`<h3 id="spec-no-room">no-room</h3>`)))
	g.Expect(page).To(MatchRegexp(`(?s)<h2 id="failed">Failed</h2>\s*<ol class="failed">\s*<li><a href="#spec-no-room">.*<h2 id="without-effect">.*<li><a href="#spec-news">`))
	g.Expect(strings.Count(page, `href="#spec-`)).To(Equal(2), "each is in one list")
	g.Expect(strings.Index(page, `<h2 id="failed">`)).To(BeNumerically("<", strings.Index(page, `<h2 id="now">`)), "however many specs run now")
}

// The first screen is that of the report: failures, and the profiles by outcome.
func TestPageCountsOutcomesByProfile(t *testing.T) {
	g := NewWithT(t)
	s := State{Planned: 9, Specs: []report.Spec{
		{ID: "a", Profile: "capacity", Level: suite.Core.String(), Outcome: suite.Passed},
		{ID: "b", Profile: "capacity", Level: suite.Extended.String(), Outcome: suite.Failed, Reason: "it is\nnot\nso"},
		{ID: "c", Profile: "driver", Level: suite.Core.String(), Outcome: suite.NotApplicable},
		{ID: "d", Profile: "driver", Level: suite.Provisional.String(), Outcome: suite.Passed},
	}}
	page, err := s.fragment()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(page).To(ContainSubstring(`<thead><tr><th scope="col">Profile</th><th scope="col">passed</th><th scope="col">failed</th><th scope="col">not-applicable</th></tr></thead>`))
	g.Expect(page).To(ContainSubstring(`<tr><th scope="row">capacity</th><td><span class="badge good">1</span></td><td><span class="badge bad">1</span></td><td>0</td></tr>`))
	g.Expect(page).To(ContainSubstring("<summary>Provisional specs: 1 passed</summary>"))
	g.Expect(page).To(ContainSubstring(`<span class="reason">it is not</span>`), "the beginning of the reason")
	g.Expect(page).To(ContainSubstring("<pre id=\"reason-b\" tabindex=\"0\">it is\nnot\nso</pre>"), "all of it")
}

// A link of the page leads to a part of it.
func TestPageHasNoDeadLinks(t *testing.T) {
	g := NewWithT(t)
	s := State{Planned: 20}
	for i := range 9 {
		s.Specs = append(s.Specs, report.Spec{ID: fmt.Sprintf("spec-%d", i), Outcome: suite.Failed})
	}
	var b strings.Builder
	g.Expect(s.html(&b)).To(Succeed())
	page, err := webpage.Parse(strings.NewReader(b.String()))
	g.Expect(err).NotTo(HaveOccurred())
	links := 0
	for a := range page.Elements(atom.A) {
		g.Expect(page.IDs).To(ContainElement(strings.TrimPrefix(webpage.Attribute(a, "href"), "#")))
		links++
	}
	g.Expect(links).To(Equal(7), "six specs, and all of them")
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
