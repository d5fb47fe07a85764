package evidence_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// runsAll returns what a cluster of two nodes runs, with kubelets of another
// release.
func runsAll(server, kubelet string) []report.Instances {
	return []report.Instances{
		{Component: "apiserver", Release: server, Gates: "default", Count: 1},
		{Component: "scheduler", Release: server, Gates: "default", Scheduler: "kube-scheduler", Count: 1},
		{Component: "kubelet", Release: kubelet, Gates: "default", Count: 2},
	}
}

// bundled replaces the release's own scheduler by the bundled one.
func bundled(runs []report.Instances) []report.Instances {
	for i := range runs {
		if runs[i].Component == "scheduler" {
			runs[i].Scheduler = "draconform"
		}
	}
	return runs
}

// journeyRun returns a run of two journeys, of which one failed in a step.
func journeyRun() evidence.Evidence {
	r := failedRun()
	start := journey.InitialCluster{Release: "1.36", Gates: "default", Scheduler: "kube-scheduler", Workers: 2}
	r.Specs = []report.Spec{
		{ID: "up", Outcome: suite.Failed, Reason: "lost", After: ptr.To(1.0), Seconds: 60, Journey: &report.Journey{Start: start, Steps: []report.JourneyStep{
			{Text: "pods run", Outcome: journey.Held, Seconds: 5, Instances: bundled(runsAll("1.36", "1.36"))},
			{Text: "the control plane goes up", Outcome: journey.Broke, After: 5, Seconds: 20, Instances: runsAll("1.37", "1.36")},
			{Text: "kubelets follow", Outcome: journey.NotReached},
		}}},
		{ID: "down", Outcome: suite.NotApplicable, Journey: &report.Journey{Start: start}},
	}
	return evidence.Evidence{Report: r}
}

func TestPageShowsJourneySteps(t *testing.T) {
	g := NewWithT(t)
	section := rendered(t, journeyRun()).section(t, "journeys")
	g.Expect(texts(section.all(atom.H3))).To(Equal([]string{"up failed"}), "only journeys that began")
	g.Expect(section.text()).To(ContainSubstring("From Kubernetes 1.36 with gates default and scheduler kube-scheduler."))
	g.Expect(texts(section.one(t, atom.Ol).all(atom.Li))).To(Equal([]string{
		"held pods run 5.0 s, then all 1.36, with the bundled scheduler", "broke the control plane goes up 20.0 s, then apiserver, scheduler 1.37; kubelet 1.36", "not-reached kubelets follow",
	}))
}

func TestPageShowsSkewMatrix(t *testing.T) {
	g := NewWithT(t)
	section := rendered(t, journeyRun()).section(t, "journeys")
	g.Expect(texts(section.one(t, atom.Table).all(atom.Tr))).To(Equal([]string{
		"Component 1.36 1.37", "apiserver 1 held 0 held, 1 broke", "controller-manager – –", "scheduler 1 held 0 held, 1 broke", "kubelet 1 held, 1 broke –", "proxy – –",
	}))
}

// A component whose upgrade failed is reverted. The failure counts for the
// release that was tried.
func TestPageShowsTheAttemptedRelease(t *testing.T) {
	g := NewWithT(t)
	e := journeyRun()
	step := &e.Report.Specs[0].Journey.Steps[1]
	step.Attempted = []report.Instances{{Component: "kubelet", Release: "1.37", Gates: "default", Count: 2}}
	section := rendered(t, e).section(t, "journeys")
	g.Expect(texts(section.one(t, atom.Table).all(atom.Tr))).To(ContainElement("kubelet 1 held 0 held, 1 broke"))
}

func TestPageOfSeveralClusters(t *testing.T) {
	g := NewWithT(t)
	several := journeyRun()
	several.Report.Cluster = report.Cluster{Provider: "kind"}
	environment := rendered(t, several).section(t, "environment")
	g.Expect(texts(environment.all(atom.Tr))).To(ContainElement("Cluster kind cluster for each journey"))
	g.Expect(environment.text()).NotTo(ContainSubstring("Workers"))
}

func TestPageShowsHowToReproduceJourneys(t *testing.T) {
	g := NewWithT(t)
	e := journeyRun()
	e.Report.Run.Flags, e.Report.Run.Version = []string{"--id", "up"}, "(devel)"
	g.Expect(rendered(t, e).section(t, "reproduce").one(t, atom.Pre).raw()).To(Equal("draconform skew --id up\n"))
}

func TestMarkdownHasJourneys(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(journeyRun().Markdown(&b)).To(Succeed())
	g.Expect(b.String()).To(ContainSubstring("\n2. the control plane goes up: **broke**, apiserver, scheduler 1.37; kubelet 1.36\n"))
	g.Expect(b.String()).To(ContainSubstring("\n| kubelet | 1 held, 1 broke | – |\n"))
	b.Reset()
	g.Expect(failed().Markdown(&b)).To(Succeed())
	g.Expect(b.String()).NotTo(ContainSubstring("Journeys"), "a run without journeys has no such section")
}
