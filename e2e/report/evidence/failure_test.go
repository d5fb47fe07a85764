// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// What failed and why is at the top of the page.
func TestPageBeginsWithFailures(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	g.Expect(d.all(atom.H2)[0].text()).To(Equal("Failed"))
	g.Expect(texts(d.section(t, "failed").all(atom.Li))).To(Equal([]string{
		"no-room scheduler The behaviour of no-room. while waiting until pod late is unschedulable: Timed out after 30.000s. pod late should be unschedulable",
	}))
	e := failed()
	e.Report.Specs = nil
	for i := range 9 {
		e.Report.Specs = append(e.Report.Specs, report.Spec{ID: fmt.Sprintf("spec-%d", i), Outcome: suite.Failed})
	}
	section := rendered(t, e).section(t, "failed")
	g.Expect(section.all(atom.Li)).To(HaveLen(6), "they fit on one screen")
	g.Expect(section.text()).To(HaveSuffix("All 9 failed specs"))
	e.Report.Specs = e.Report.Specs[:3]
	g.Expect(rendered(t, e).section(t, "failed").text()).NotTo(ContainSubstring("All 3"), "a narrow screen shows three")
}

// So are failed provisional specs, apart from the others.
func TestPageBeginsWithProvisionalFailures(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	e.Report.Verdict.Result = report.Passed
	e.Report.Specs = e.Report.Specs[5:]
	d := rendered(t, e)
	g.Expect(texts(d.all(atom.H2))[:3]).To(Equal([]string{"Profiles by outcome", "Failed, without effect on the verdict", "Failures"}))
	g.Expect(texts(d.section(t, "without-effect").all(atom.Li))).To(Equal([]string{"novel scheduler The behaviour of novel. it is not so"}))
	g.Expect(d.section(t, "counts").one(t, atom.Details).text()).To(HavePrefix("Provisional specs: 1 failed"))
}

// The log of a component that ended is folded, and not repeated for each spec.
func TestPageFoldsTheLogOfAComponent(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	const ended = "kube-scheduler has ended: exit status 2"
	lines := []string{ended + "; from its log scheduler.log:", "panic: nil pointer", "goroutine 1", "a.go:1", "b.go:2", "c.go:3"}
	e.Report.Verdict.Problem = strings.Join(lines, "\n")
	e.Report.Specs[1].Reason = "while waiting until pod p is scheduled: " + e.Report.Verdict.Problem
	d := rendered(t, e)
	pres := d.one(t, atom.Header).all(atom.Pre)
	g.Expect(pres).To(HaveLen(2))
	g.Expect(pres[0].raw()).To(Equal(ended + "\npanic: nil pointer"))
	g.Expect(pres[1].raw()).To(Equal(strings.Join(lines, "\n")))
	g.Expect(pres[1].Parent.DataAtom).To(Equal(atom.Details))
	g.Expect(d.section(t, "failed").one(t, atom.Li).text()).To(HaveSuffix(" while waiting until pod p is scheduled: " + ended))
	g.Expect(d.id(t, "spec-no-room").all(atom.Pre)[0].raw()).To(ContainSubstring("c.go:3"), "the complete reason")

	for _, problem := range []string{"interrupt signal received\nworker 14 of the run: exit status 1", strings.Join(lines[:4], "\n")} {
		e.Report.Verdict.Problem = problem
		g.Expect(rendered(t, e).one(t, atom.Header).all(atom.Pre)).To(HaveLen(1), "a short one is not folded")
	}
}

// Failures come before everything else, those without effect on the verdict last.
func TestPageShowsFailuresFirst(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	e.Report.Specs = append([]report.Spec{e.Report.Specs[5]}, e.Report.Specs...)
	e.Report.Specs[0].ID = "first"
	d := rendered(t, e)
	g.Expect(texts(d.all(atom.H2))[:4]).To(Equal([]string{"Failed", "Profiles by outcome", "Failed, without effect on the verdict", "Failures"}))
	g.Expect(texts(d.section(t, "failures").all(atom.H3))).To(Equal([]string{"no-room failed", "first failed (provisional)", "novel failed (provisional)"}))
}

// A failed comparison is shown with both values, without the rest of the reason.
func TestPageShowsComparedValues(t *testing.T) {
	e := failed()
	e.Report.Specs[1].Reason = "the pod should wait\nExpected\n    <string>: Running\nto equal\n    <string>: Pending\n\nevents"
	NewWithT(t).Expect(rendered(t, e).section(t, "failed").one(t, atom.Li).text()).To(HaveSuffix(" the pod should wait Expected <string>: Running to equal <string>: Pending"))
}

// The time line of a failed spec has its steps until the failure, and what
// followed.
func TestPageShowsTheTimeLineOfAFailure(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	s := &e.Report.Specs[1]
	s.Seconds, s.Failure = 80, &report.Failure{After: 60, Namespace: "draconform-0a1f-2"}
	s.Steps = []report.Step{{After: 0, Text: "creating"}, {After: 20, Text: "waiting"}}
	noRoom := rendered(t, e).id(t, "spec-no-room")
	g.Expect(noRoom.text()).To(ContainSubstring("namespace draconform-0a1f-2."))
	rows := noRoom.one(t, atom.Ol).all(atom.Li)
	g.Expect(texts(rows)).To(Equal([]string{"20.0 s creating", "40.0 s waiting failed", "20.0 s the objects of the spec are removed"}))
	var bars []string
	for _, row := range rows {
		bar := row.one(t, atom.I)
		bars = append(bars, bar.attr("class")+" "+bar.attr("style"))
	}
	g.Expect(bars).To(Equal([]string{"good --l:0%;--w:25%", "bad --l:25%;--w:50%", " --l:75%;--w:25%"}))
}

// Steps after the failure are those of the removal. A failure before the first
// step is one of the beginning.
func TestTimeLineOfOtherFailures(t *testing.T) {
	for name, test := range map[string]struct {
		after float64
		steps []report.Step
		want  []string
	}{
		"no steps":              {after: 10, want: []string{"10.0 s the spec begins failed"}},
		"before the first step": {after: 2, steps: []report.Step{{After: 4, Text: "removing"}}, want: []string{"2.0 s the spec begins failed", "2.0 s the objects of the spec are removed", "6.0 s removing"}},
		"before the last step":  {after: 4, steps: []report.Step{{Text: "waiting"}, {After: 4.5, Text: "removing"}}, want: []string{"4.0 s waiting failed", "0.5 s the objects of the spec are removed", "5.5 s removing"}},
		"at the end":            {after: 10, steps: []report.Step{{Text: "waiting"}}, want: []string{"10.0 s waiting failed"}},
		"later than the end":    {after: 11, steps: []report.Step{{Text: "waiting"}}, want: []string{"10.0 s waiting failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			e := failed()
			s := &e.Report.Specs[1]
			s.Seconds, s.Failure, s.Steps = 10, &report.Failure{After: test.after}, test.steps
			NewWithT(t).Expect(texts(rendered(t, e).id(t, "spec-no-room").one(t, atom.Ol).all(atom.Li))).To(Equal(test.want))
		})
	}
}
