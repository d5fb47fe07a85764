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
func runsAll(server, kubelet string) []report.Runs {
	return []report.Runs{
		{Component: "apiserver", Release: server, Gates: "default", Count: 1},
		{Component: "scheduler", Release: server, Gates: "default", Scheduler: "kube-scheduler", Count: 1},
		{Component: "kubelet", Release: kubelet, Gates: "default", Count: 2},
	}
}

// bundled replaces the release's own scheduler by the bundled one.
func bundled(runs []report.Runs) []report.Runs {
	for i := range runs {
		if runs[i].Component == "scheduler" {
			runs[i].Scheduler = "draconform"
		}
	}
	return runs
}

// journeyed returns a run of two journeys, of which one failed at a stop.
func journeyed() evidence.Evidence {
	r := failedRun()
	start := journey.InitialCluster{Release: "1.36", Gates: "default", Scheduler: "kube-scheduler", Workers: 2}
	r.Specs = []report.Spec{
		{ID: "up", Outcome: suite.Failed, Reason: "lost", After: ptr.To(1.0), Seconds: 60, Journey: &report.Journey{Start: start, Stops: []report.Stop{
			{Text: "pods run", Outcome: journey.Held, Seconds: 5, Runs: bundled(runsAll("1.36", "1.36"))},
			{Text: "the control plane goes up", Outcome: journey.Broke, After: 5, Seconds: 20, Runs: runsAll("1.37", "1.36")},
			{Text: "kubelets follow", Outcome: journey.NotReached},
		}}},
		{ID: "down", Outcome: suite.NotApplicable, Journey: &report.Journey{Start: start}},
	}
	return evidence.Evidence{Report: r}
}

func TestPageTellsAJourneyStopByStop(t *testing.T) {
	g := NewWithT(t)
	section := rendered(t, journeyed()).section(t, "journeys")
	g.Expect(texts(section.all(atom.H3))).To(Equal([]string{"up failed"}), "only of what began")
	g.Expect(section.text()).To(ContainSubstring("From Kubernetes 1.36 with gates default and scheduler kube-scheduler."))
	g.Expect(texts(section.one(t, atom.Ol).all(atom.Li))).To(Equal([]string{
		"held pods run 5.0 s, then all 1.36, with the bundled scheduler", "broke the control plane goes up 20.0 s, then apiserver, scheduler 1.37; kubelet 1.36", "not-reached kubelets follow",
	}))
}

func TestPageTellsHowComponentsOfEachReleaseDid(t *testing.T) {
	g := NewWithT(t)
	section := rendered(t, journeyed()).section(t, "journeys")
	g.Expect(texts(section.one(t, atom.Table).all(atom.Tr))).To(Equal([]string{
		"Component 1.36 1.37", "apiserver 1 held 0 held, 1 broke", "controller-manager – –", "scheduler 1 held 0 held, 1 broke", "kubelet 1 held, 1 broke –", "proxy – –",
	}))
}

// A component whose upgrade failed is reverted. The failure counts for the
// release that was tried.
func TestPageBlamesTheReleaseThatWasTried(t *testing.T) {
	g := NewWithT(t)
	e := journeyed()
	stop := &e.Report.Specs[0].Journey.Stops[1]
	stop.Tried = []report.Runs{{Component: "kubelet", Release: "1.37", Gates: "default", Count: 2}}
	section := rendered(t, e).section(t, "journeys")
	g.Expect(texts(section.one(t, atom.Table).all(atom.Tr))).To(ContainElement("kubelet 1 held 0 held, 1 broke"))
}

func TestPageTellsOfNoClusterOfAllJourneys(t *testing.T) {
	g := NewWithT(t)
	several := journeyed()
	several.Report.Cluster = report.Cluster{Provider: "kind"}
	judged := rendered(t, several).section(t, "judged")
	g.Expect(texts(judged.all(atom.Tr))).To(ContainElement("Cluster kind cluster for each journey"))
	g.Expect(judged.text()).NotTo(ContainSubstring("Workers"))
}

func TestPageTellsHowToGoOnTheSameJourneysAgain(t *testing.T) {
	g := NewWithT(t)
	again := journeyed()
	again.Report.Run.Flags, again.Report.Run.Version = []string{"--id", "up"}, "(devel)"
	g.Expect(rendered(t, again).section(t, "again").one(t, atom.Pre).raw()).To(Equal("draconform skew --id up\n"))
}

func TestMarkdownTellsJourneysToo(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(journeyed().Markdown(&b)).To(Succeed())
	g.Expect(b.String()).To(ContainSubstring("\n2. the control plane goes up: **broke**, apiserver, scheduler 1.37; kubelet 1.36\n"))
	g.Expect(b.String()).To(ContainSubstring("\n| kubelet | 1 held, 1 broke | – |\n"))
	b.Reset()
	g.Expect(failed().Markdown(&b)).To(Succeed())
	g.Expect(b.String()).NotTo(ContainSubstring("Journeys"), "a run without journeys says nothing of them")
}
