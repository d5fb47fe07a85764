package suite

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
)

// of returns a spec that passes Check.
func of(id, profile string, judges Judged, needs ...features.Feature) Spec {
	return Spec{ID: id, Sentence: "It is so.", Profile: profile, Judges: judges, Features: needs, Body: func(context.Context, *Env) {}}
}

func ids(specs []Spec) []string {
	all := []string{}
	for _, s := range specs {
		all = append(all, s.ID)
	}
	return all
}

func TestCheck(t *testing.T) {
	good := of("a-spec-1", "p", JudgesDriver)
	for name, test := range map[string]struct {
		change func(*Spec)
		want   string
	}{
		"capital letters": {func(s *Spec) { s.ID = "A" }, `spec id "A" must consist of lower-case letters, digits and dashes`},
		"no id":           {func(s *Spec) { s.ID = "" }, `spec id "" must consist of`},
		"a dot":           {func(s *Spec) { s.ID = "a.b" }, `spec id "a.b" must consist of`},
		"the same id":     {func(s *Spec) { s.ID = good.ID }, `spec id "a-spec-1" is given twice`},
		"no sentence":     {func(s *Spec) { s.Sentence = "" }, "spec other lacks a sentence, a profile, what it judges, or a body"},
		"no profile":      {func(s *Spec) { s.Profile = "" }, "spec other lacks"},
		"no judged":       {func(s *Spec) { s.Judges = "" }, "spec other lacks"},
		"no release":      {func(s *Spec) { s.Since = "soon" }, `spec other is promised since "soon", which is no release`},
		"no body":         {func(s *Spec) { s.Body = nil }, "spec other lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			other := of("other", "p", JudgesDriver)
			test.change(&other)
			g := NewWithT(t)
			g.Expect(Check([]Spec{good, other})).To(MatchError(ContainSubstring(test.want)))
			_, err := Run(t.Context(), Config{Specs: []Spec{good, other}})
			g.Expect(err).To(MatchError(ContainSubstring(test.want)), "nothing runs")
		})
	}
	NewWithT(t).Expect(Check([]Spec{good})).To(Succeed())
}

func TestLabels(t *testing.T) {
	g := NewWithT(t)
	g.Expect(of("a", "p", JudgesDriver, "z", "core").Labels()).To(Equal([]string{"core", "driver", "p", "z"}), "sorted")
	g.Expect(of("a", "driver", JudgesDriver).Labels()).To(Equal([]string{"driver"}), "once each")
	few := of("a", "p", JudgesDriver)
	few.Smoke = true
	g.Expect(few.Labels()).To(Equal([]string{"driver", "p", "smoke"}))
	g.Expect(KnownLabels([]Spec{of("a", "p", JudgesDriver), of("b", "p", JudgesCluster)})).To(Equal([]string{"cluster", "driver", "p"}))
}

func TestSpecsThatDisturbOthersRunAlone(t *testing.T) {
	g := NewWithT(t)
	for _, need := range []Need{NeedsNodes, NeedsScheduler, NeedsVersions, NeedsWholePools} {
		g.Expect(Spec{Needs: []Need{NeedsDrivers, need}}.Alone()).To(BeTrue(), string(need))
	}
	g.Expect(Spec{Journey: &Journey{}}.Alone()).To(BeTrue())
	g.Expect(Spec{Needs: []Need{NeedsStage, NeedsClasses, NeedsDrivers}}.Alone()).To(BeFalse())
	g.Expect(Spec{}.Alone()).To(BeFalse())
}

func TestUnfit(t *testing.T) {
	found := features.Set{features.Core: {Present: true}, "another": {Source: "it is off"}}
	big := of("big", "p", JudgesDriver, features.Core)
	big.Nodes = 3
	needy := of("needy", "p", JudgesDriver, features.Core, "another")
	needy.Nodes = 3
	shared := of("shared", "p", JudgesDriver)
	shared.Kinds = []subject.Kind{subject.KindShared}
	steers := of("steers", "p", JudgesDriver)
	steers.Needs = []Need{NeedsNodes, NeedsDrivers}
	classes := of("classes", "p", JudgesDriver)
	classes.Needs = []Need{NeedsClasses}
	odd := of("odd", "p", JudgesDriver)
	odd.Needs = []Need{"luck"}
	stage := of("stage", "p", JudgesScheduler)
	stage.Needs = []Need{NeedsStage}
	all := of("all", "p", JudgesScheduler)
	all.Needs = []Need{NeedsWholePools}
	restarts := of("restarts", "p", JudgesScheduler)
	restarts.Needs = []Need{NeedsScheduler}
	recent := of("recent", "p", JudgesScheduler)
	recent.Since = "1.35"
	recentKubelet := of("recent-kubelet", "p", JudgesKubelet)
	recentKubelet.Since = "1.35"
	without := of("without", "p", JudgesCluster)
	without.Without = []features.Feature{"another"}
	offered := subject.Subject{Shared: &subject.Shared{}}
	exclusive := of("exclusive", "p", JudgesDriver)
	exclusive.Kinds = []subject.Kind{subject.KindExclusive}
	demanding := subject.Subject{Exclusive: &subject.Exclusive{Needs: []features.Feature{"another"}}}
	for name, test := range map[string]struct {
		spec    Spec
		there   Situation
		outcome Outcome
		why     string
	}{
		"just large enough":   {big, Situation{Found: found, Workers: 3}, "", ""},
		"too small":           {big, Situation{Found: found, Workers: 2}, NotApplicable, "needs 3 worker nodes, the cluster has 2"},
		"without a feature":   {needy, Situation{Found: found, Workers: 3}, NotSupported, "feature another is absent: it is off"},
		"without both":        {needy, Situation{Found: found, Workers: 1}, NotSupported, "feature another is absent: it is off"},
		"with such devices":   {shared, Situation{Subject: offered}, "", ""},
		"without such":        {shared, Situation{}, NotApplicable, "no driver offers devices of the kind shared"},
		"with such that need": {exclusive, Situation{Subject: demanding, Found: features.Set{"another": {Present: true}}}, "", ""},
		"lacks what it needs": {exclusive, Situation{Subject: demanding, Found: found}, NotSupported, "feature another is absent: it is off"},
		"with all it needs":   {steers, Situation{Nodes: reach{}, Drivers: reach{}}, "", ""},
		"without nodes":       {steers, Situation{Drivers: reach{}}, NotApplicable, "needs to restart nodes, which only a cluster of the run's own allows"},
		"without the drivers": {steers, Situation{Nodes: reach{}}, NotApplicable, "needs to steer the driver, which only the suite's own drivers allow"},
		"with own classes":    {classes, Situation{Drivers: reach{}}, "", ""},
		"without own classes": {classes, Situation{Nodes: reach{}}, NotApplicable, "needs to create device classes, which only the suite's own drivers allow"},
		"with a stage":        {stage, Situation{Stages: true}, "", ""},
		"without a stage":     {stage, Situation{}, NotApplicable, "needs nodes that are simulated, which a cluster that is not the run's own gets with --simulate-nodes only"},
		"with whole pools":    {all, Situation{}, "", ""},
		"with a wrong pool":   {all, Situation{WrongPool: "pool p is not"}, NotApplicable, "needs all pools that nodes have in common to be complete and valid; pool p is not"},
		"with its scheduler":  {restarts, Situation{ControlPlane: reach{}}, "", ""},
		"without it":          {restarts, Situation{Nodes: reach{}}, NotApplicable, "needs to restart the pods' scheduler, which only that of a cluster of the run's own allows"},
		"just new enough":     {recent, Situation{Release: "v1.35.0"}, "", ""},
		"too old":             {recent, Situation{Release: "v1.34.9"}, NotApplicable, "is promised since Kubernetes 1.35, the API server is v1.34.9"},
		"of no known age":     {recent, Situation{}, NotApplicable, "is promised since Kubernetes 1.35, the API server is "},
		"by a newer API":      {recent, Situation{Release: "v1.36.0", Scheduler: "v1.35.1", Kubelet: "v1.34.9"}, "", ""},
		"by an old scheduler": {recent, Situation{Release: "v1.36.0", Scheduler: "v1.34.9"}, NotApplicable, "is promised since Kubernetes 1.35, the scheduler is v1.34.9"},
		"beside an old one":   {recentKubelet, Situation{Release: "v1.36.0", Scheduler: "v1.34.9", Kubelet: "v1.35.1"}, "", ""},
		"by an old kubelet":   {recentKubelet, Situation{Release: "v1.36.0", Kubelet: "v1.34.9"}, NotApplicable, "is promised since Kubernetes 1.35, a kubelet is v1.34.9"},
		"with what must lack": {without, Situation{Found: features.Set{"another": {Present: true, Source: "it is on"}}}, NotApplicable, "is about clusters without feature another: it is on"},
		"lacks what it must":  {without, Situation{Found: found}, "", ""},
		"an unknown need":     {odd, Situation{}, NotApplicable, `needs "luck", which is not known`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			outcome, why := test.spec.unfit(test.there)
			g.Expect(outcome).To(Equal(test.outcome))
			g.Expect(why).To(Equal(test.why))
		})
	}
	several := []Spec{needy, big, of("small", "p", JudgesDriver)}
	NewWithT(t).Expect(ids(Fit(several, Situation{Found: found, Workers: 3}))).To(Equal([]string{"big", "small"}))
	NewWithT(t).Expect(ids(several)).To(Equal([]string{"needy", "big", "small"}), "what was passed stays as it is")
}

// reach implements the interfaces of a Situation.
type reach struct {
	Nodes
	Drivers
	ControlPlane
}
