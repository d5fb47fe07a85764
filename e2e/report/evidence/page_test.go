// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"context"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
)

func TestPageShowsVerdict(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	g.Expect(d.one(t, atom.Title).text()).To(Equal("draconform: failed, run 20260301-120000-0a1f"))
	g.Expect(d.one(t, atom.H1).text()).To(Equal("draconform: failed"))
	header := d.one(t, atom.Header).text()
	g.Expect(header).To(ContainSubstring("1 passed, 1 failed, 1 skipped, 1 not-supported, 1 not-applicable"))
	g.Expect(header).To(ContainSubstring("provisional: 1 failed"))
	g.Expect(header).To(ContainSubstring("kind, Kubernetes v1.36.3, scheduler draconform, 2026-03-01 12:00 UTC, 2 min 30 s"))
	g.Expect(header).To(ContainSubstring(report.Rule))
}

// Outcomes that no spec has are left out, so that the table is small.
func TestPageCountsOutcomesByProfile(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	e.Report.Verdict.Profiles[1].Counts[suite.NotSupported] = 3
	rows := rendered(t, e).section(t, "counts").all(atom.Tr)
	g.Expect(texts(rows)).To(Equal([]string{
		"Profile Result passed failed not-supported",
		"partitioning not-conformant 1 passed specs of partitioning 1 failed specs of partitioning 0",
		"capacity conformant 7 0 3",
		"Profile passed failed", "partitioning 0 1",
	}), "those of provisional specs are apart")
	link := rows[1].all(atom.A)[1]
	g.Expect([]string{link.attr("href"), link.attr("data-outcome"), link.attr("data-profile")}).To(Equal([]string{"#specs", "failed", "0"}))
}

func TestPageShowsProfiles(t *testing.T) {
	g := NewWithT(t)
	g.Expect(texts(rendered(t, failed()).section(t, "profiles").all(atom.Tr))).To(Equal([]string{
		"Profile Result Core specs Extended specs",
		"partitioning not-conformant 1 of 5 specs failed 1 of 3 passed 0 of 1 executed, 1 not executable",
		"capacity conformant not claimed – –",
		"Level Specs Reason",
		"core large not-applicable: needs 9 worker nodes, the cluster has 2",
		"extended shares not-supported: " + whyAbsent,
		`extended left-out skipped: excluded by the selection --focus "s$"`,
	}))
}

// Provisional specs are shown apart, and not as failures.
func TestPageShowsProvisionalSpecs(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	section := d.section(t, "provisional")
	g.Expect(texts(section.one(t, atom.Tbody).all(atom.Tr))).To(Equal([]string{"failed novel"}), "the reason is with the failures")
	g.Expect(section.one(t, atom.A).attr("href")).To(Equal("#spec-novel"))
	g.Expect(section.text()).To(ContainSubstring("without effect on the verdict"))
	e := failed()
	for _, id := range []string{"newer", "newest"} {
		e.Report.Specs = append([]report.Spec{{ID: id, Level: "provisional", Outcome: suite.NotSupported, Reason: whyAbsent}}, e.Report.Specs...)
	}
	g.Expect(texts(rendered(t, e).section(t, "provisional").one(t, atom.Tbody).all(atom.Tr))).To(Equal([]string{"failed novel", "not-supported newest, newer " + whyAbsent}), "a reason is shown once")
	e = failed()
	e.Report.Specs[5].Outcome = suite.Passed
	g.Expect(texts(rendered(t, e).all(atom.H2))).NotTo(ContainElement("Provisional specs"), "only those that did not pass")
}

func TestPageShowsEnvironment(t *testing.T) {
	g := NewWithT(t)
	environment := rendered(t, failed()).section(t, "environment")
	for name, want := range map[string]string{
		"Run": "20260301-120000-0a1f", "Started": "2026-03-01 12:00:00 UTC", "Duration": "2 min 30 s", "draconform": "v0.4.0", "Selection": `--focus "s$"`,
		"Cluster": "kind cluster draconform-0a1f", "Workers": "2", "Kubernetes": "v1.36.3", "Kubelets": "v1.35.0 (1 instances), v1.36.3 (2 instances)",
		"Scheduler":     "draconform: v1.37.1, emulates 1.36, image draconform.dev/scheduler:v1.37.1",
		"Feature gates": "set alpha, 2 of 3 DRA gates enabled", "Features": "core; absent: consumable-capacity",
		"Drivers": "gpu.example.com (fake drivers, installed for the run)",
		// In the collapsed sections.
		"DRAAdminAccess": "on", "DRADeviceTaints": "off", "consumable-capacity": "absent dropped",
		"kube-scheduler": "v1.37.1, emulates 1.36 draconform.dev/scheduler:v1.37.1 1",
	} {
		g.Expect(texts(environment.all(atom.Tr))).To(ContainElement(name+" "+want), name)
	}
}

func TestPageShowsOutcomes(t *testing.T) {
	g := NewWithT(t)
	rows := texts(rendered(t, failed()).section(t, "specs").one(t, atom.Tbody).all(atom.Tr))
	g.Expect(rows).To(Equal([]string{
		"fits The behaviour of fits. passed scheduler 10.5 s",
		"no-room The behaviour of no-room. failed while waiting until pod late is unschedulable: Timed out after 30.000s. pod late should be unschedulable scheduler 1 min 20 s",
		"shares The behaviour of shares. not-supported " + whyAbsent + " scheduler",
		"large The behaviour of large. not-applicable needs 9 worker nodes, the cluster has 2 scheduler",
		"left-out The behaviour of left-out. skipped excluded by the selection scheduler",
		"novel The behaviour of novel. failed (provisional) it is not so scheduler",
	}), "in the order of the run, with reason and time")
}

func TestPageShowsDetails(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	g.Expect(texts(d.section(t, "failures").all(atom.H3))).To(Equal([]string{"no-room failed", "novel failed (provisional)"}))
	g.Expect(texts(d.section(t, "details").all(atom.H3))).To(Equal([]string{"fits passed"}), "only specs with details")
	noRoom := d.id(t, "spec-no-room")
	g.Expect(noRoom.open()).To(BeTrue(), "a failure is not collapsed")
	pres := noRoom.all(atom.Pre)
	g.Expect(pres[0].raw()).To(Equal(whyFailed), "the complete reason")
	lists := noRoom.all(atom.Ul)
	g.Expect(texts(lists[len(lists)-1].all(atom.Li))).To(ConsistOf(HavePrefix("claims.yaml "), HavePrefix("slices.yaml "), Equal("odd #1?%.log 3 B")))

	fits := d.id(t, "spec-fits")
	g.Expect(fits.open()).To(BeFalse())
	g.Expect(texts(fits.one(t, atom.Ol).all(atom.Li))).To(Equal([]string{"0.0 s creating claim and pod one", "2.5 s waiting until pod one runs"}))
}

func TestPageShowsTimeline(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	rows := d.section(t, "timeline").one(t, atom.Ol).all(atom.Li)
	g.Expect(texts(rows)).To(Equal([]string{"fits 0:30 to 0:41", "no-room 0:41 to 2:00 , failed"}))
	// Of 150 seconds: the first from 30 for 10.5, the second from 40.5 for
	// 79.5.
	g.Expect(rows[0].one(t, atom.I).attr("style")).To(Equal("--l:20%;--w:7%"))
	g.Expect(rows[1].one(t, atom.I).attr("style")).To(Equal("--l:27%;--w:53%"))
	g.Expect(d.section(t, "timeline").text()).To(ContainSubstring("took 30.0 s before the first spec. The run took 30.0 s after the last spec."))

	e := failed()
	for i := range e.Report.Specs {
		e.Report.Specs[i].After = nil
	}
	g.Expect(texts(rendered(t, e).all(atom.H2))).NotTo(ContainElement("Timeline"), "a report without times has none")
}

func TestPageShowsRequirements(t *testing.T) {
	g := NewWithT(t)
	tables := rendered(t, failed()).section(t, "requirements").all(atom.Tbody)
	g.Expect(texts(tables[0].all(atom.Tr))).To(Equal([]string{"KEP-4815 0 1 1 0 1"}), "proved, failed, not-supported, not-run, unproved")
	rows := texts(tables[1].all(atom.Tr))
	g.Expect(rows).To(Equal([]string{"4815-counters-per-pool Counters are the pool's. failed no-room, fits", "4815-shares Shares fit. not-supported the feature gate is disabled shares", "4815-names Names are unique. unproved"}))
	e := failed()
	e.Requirements = nil
	g.Expect(texts(rendered(t, e).all(atom.H2))).NotTo(ContainElement("Requirements"))
}

func TestPageOfARunThatEndedEarly(t *testing.T) {
	g := NewWithT(t)
	e := evidence.Evidence{Report: report.Report{Run: report.Run{ID: "r"}, Verdict: report.Verdict{Result: report.Incomplete, Rule: report.Rule, Problem: "no engine\nanswers"}}}
	d := rendered(t, e)
	g.Expect(d.one(t, atom.H1).text()).To(Equal("draconform: incomplete"))
	g.Expect(d.one(t, atom.Header).one(t, atom.Pre).raw()).To(Equal("no engine\nanswers"))
	g.Expect(d.section(t, "specs").text()).To(ContainSubstring("The run ended before the first spec."))
	e.Report.Specs = []report.Spec{{ID: "never", Description: "It is.", Outcome: ""}}
	g.Expect(rendered(t, e).section(t, "specs").text()).To(ContainSubstring("never It is. no outcome"))
}

// Every link refers to a part of the page or to a file of the run.
func TestPageHasNoDeadLinks(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	var files []string
	for _, a := range d.all(atom.A) {
		href := a.attr("href")
		if id, ok := strings.CutPrefix(href, "#"); ok {
			d.id(t, id)
			continue
		}
		u, err := url.Parse(href)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(u.IsAbs()).To(BeFalse(), href)
		g.Expect(href).To(HavePrefix("./"))
		file := path.Clean(u.Path)
		_, err = fs.Stat(left, file)
		g.Expect(err).NotTo(HaveOccurred())
		files = append(files, file)
	}
	g.Expect(files).To(ConsistOf(
		"artifacts/no-room/claims.yaml", "artifacts/no-room/slices.yaml", "artifacts/no-room/odd #1?%.log",
		"report.yaml", "ginkgo_01.log", "artifacts", "nodes",
	), "but not the kubeconfig")
}

// The same report yields the same page, regardless of the order of maps.
func TestPageIsDeterministic(t *testing.T) {
	g := NewWithT(t)
	var first strings.Builder
	g.Expect(failed().HTML(t.Context(), &first)).To(Succeed())
	for range 20 {
		var again strings.Builder
		g.Expect(failed().HTML(t.Context(), &again)).To(Succeed())
		g.Expect(again.String()).To(Equal(first.String()))
	}
}

func TestPageEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	NewWithT(t).Expect(failed().HTML(ctx, &strings.Builder{})).To(MatchError(context.Canceled))
}

// The page of a passed run has no failures.
func TestPageOfAPassedRun(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	e.Requirements = nil
	e.Report.Specs = e.Report.Specs[:1]
	e.Report.Verdict = report.Verdict{Result: report.Passed, Counts: map[suite.Outcome]int{suite.Passed: 1}, Rule: report.Rule}
	d := rendered(t, e)
	g.Expect(d.one(t, atom.H1).text()).To(Equal("draconform: passed"))
	g.Expect(texts(d.all(atom.H2))).NotTo(ContainElement("Failed"))
	for _, element := range d.all(atom.Details) {
		g.Expect(element.open()).To(BeFalse())
	}
}
