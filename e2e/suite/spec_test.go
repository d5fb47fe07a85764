package suite

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// of returns a spec that passes Check.
func of(id, profile string, judges env.Component, needs ...features.Feature) Spec {
	return Spec{ID: id, Description: "It is so.", Profile: profile, Component: judges, Features: needs, Body: func(context.Context, *env.Env) {}}
}

func ids(specs []Spec) []string {
	all := []string{}
	for _, s := range specs {
		all = append(all, s.ID)
	}
	return all
}

func TestCheck(t *testing.T) {
	good := of("a-spec-1", "p", env.Driver)
	for name, test := range map[string]struct {
		change func(*Spec)
		want   string
	}{
		"capital letters": {func(s *Spec) { s.ID = "A" }, `spec id "A" must consist of lower-case letters, digits and dashes`},
		"no id":           {func(s *Spec) { s.ID = "" }, `spec id "" must consist of`},
		"a dot":           {func(s *Spec) { s.ID = "a.b" }, `spec id "a.b" must consist of`},
		"the same id":     {func(s *Spec) { s.ID = good.ID }, `spec id "a-spec-1" is given twice`},
		"no sentence":     {func(s *Spec) { s.Description = "" }, "spec other lacks a sentence, a profile, what it judges, or a body"},
		"no profile":      {func(s *Spec) { s.Profile = "" }, "spec other lacks"},
		"no judged":       {func(s *Spec) { s.Component = "" }, "spec other lacks"},
		"no release":      {func(s *Spec) { s.Since = "soon" }, `spec other is promised since "soon", which is no release`},
		"no body":         {func(s *Spec) { s.Body = nil }, "spec other lacks"},
	} {
		t.Run(name, func(t *testing.T) {
			other := of("other", "p", env.Driver)
			test.change(&other)
			g := NewWithT(t)
			g.Expect(Validate([]Spec{good, other})).To(MatchError(ContainSubstring(test.want)))
			_, err := New(Options{Specs: []Spec{good, other}})
			g.Expect(err).To(MatchError(ContainSubstring(test.want)), "nothing runs")
		})
	}
	NewWithT(t).Expect(Validate([]Spec{good})).To(Succeed())
}

func TestLabels(t *testing.T) {
	g := NewWithT(t)
	g.Expect(of("a", "p", env.Driver, "z", "core").Labels()).To(Equal([]string{"core", "driver", "p", "z"}), "sorted")
	g.Expect(of("a", "driver", env.Driver).Labels()).To(Equal([]string{"driver"}), "once each")
	few := of("a", "p", env.Driver)
	few.Smoke = true
	g.Expect(few.Labels()).To(Equal([]string{"driver", "p", "smoke"}))
	g.Expect(KnownLabels([]Spec{of("a", "p", env.Driver), of("b", "p", env.Cluster)})).To(Equal([]string{"cluster", "driver", "p"}))
}

func TestSpecsThatDisturbOthersRunAlone(t *testing.T) {
	g := NewWithT(t)
	for _, need := range []env.Need{env.NeedsNodes, env.NeedsScheduler, env.NeedsVersions, env.NeedsWholePools} {
		g.Expect(Spec{Needs: []env.Need{env.NeedsDrivers, need}}.Serial()).To(BeTrue(), string(need))
	}
	g.Expect(Spec{Journey: &journey.Journey{}}.Serial()).To(BeTrue())
	g.Expect(Spec{Needs: []env.Need{env.NeedsSimulatedNodes, env.NeedsDeviceClasses, env.NeedsDrivers}}.Serial()).To(BeFalse())
	g.Expect(Spec{}.Serial()).To(BeFalse())
}

func TestUnfit(t *testing.T) {
	found := features.Set{features.Core: {Present: true}, "another": {Source: "it is off"}}
	big := of("big", "p", env.Driver, features.Core)
	big.MinNodes = 3
	needy := of("needy", "p", env.Driver, features.Core, "another")
	needy.MinNodes = 3
	shared := of("shared", "p", env.Driver)
	shared.Kinds = []subject.Kind{subject.KindShared}
	steers := of("steers", "p", env.Driver)
	steers.Needs = []env.Need{env.NeedsNodes, env.NeedsDrivers}
	classes := of("classes", "p", env.Driver)
	classes.Needs = []env.Need{env.NeedsDeviceClasses}
	odd := of("odd", "p", env.Driver)
	odd.Needs = []env.Need{"luck"}
	stage := of("stage", "p", env.Scheduler)
	stage.Needs = []env.Need{env.NeedsSimulatedNodes}
	all := of("all", "p", env.Scheduler)
	all.Needs = []env.Need{env.NeedsWholePools}
	restarts := of("restarts", "p", env.Scheduler)
	restarts.Needs = []env.Need{env.NeedsScheduler}
	recent := of("recent", "p", env.Scheduler)
	recent.Since = "1.35"
	recentKubelet := of("recent-kubelet", "p", env.Kubelet)
	recentKubelet.Since = "1.35"
	without := of("without", "p", env.Cluster)
	without.AbsentFeatures = []features.Feature{"another"}
	offered := subject.Subject{Shared: &subject.Shared{}}
	exclusive := of("exclusive", "p", env.Driver)
	exclusive.Kinds = []subject.Kind{subject.KindExclusive}
	identified := of("identified", "p", env.Driver)
	identified.Kinds, identified.Fields = shared.Kinds, []subject.Field{subject.SharedIdentity}
	withIdentity := subject.Subject{Shared: &subject.Shared{Identity: "uuid"}}
	demanding := subject.Subject{Exclusive: &subject.Exclusive{Needs: []features.Feature{"another"}}}
	for name, test := range map[string]struct {
		spec    Spec
		there   env.Target
		outcome Outcome
		why     string
	}{
		"just large enough":   {big, env.Target{Found: found, Workers: 3}, "", ""},
		"too small":           {big, env.Target{Found: found, Workers: 2}, NotApplicable, "needs 3 worker nodes, the cluster has 2"},
		"without a feature":   {needy, env.Target{Found: found, Workers: 3}, NotSupported, "feature another is absent: it is off"},
		"without both":        {needy, env.Target{Found: found, Workers: 1}, NotSupported, "feature another is absent: it is off"},
		"with such devices":   {shared, env.Target{Subject: offered}, "", ""},
		"without such":        {shared, env.Target{}, NotApplicable, "no driver offers devices of the kind shared"},
		"with a field":        {identified, env.Target{Subject: withIdentity}, "", ""},
		"without a field":     {identified, env.Target{Subject: offered}, NotApplicable, "needs roles.shared.identity: add it to the driver file"},
		"with such that need": {exclusive, env.Target{Subject: demanding, Found: features.Set{"another": {Present: true}}}, "", ""},
		"lacks what it needs": {exclusive, env.Target{Subject: demanding, Found: found}, NotSupported, "feature another is absent: it is off"},
		"with all it needs":   {steers, env.Target{Nodes: reach{}, Drivers: reach{}}, "", ""},
		"without nodes":       {steers, env.Target{Drivers: reach{}}, NotApplicable, "needs to restart nodes, which only a cluster of the run's own allows"},
		"without the drivers": {steers, env.Target{Nodes: reach{}}, NotApplicable, "needs to steer the driver, which only the suite's own drivers allow"},
		"with own classes":    {classes, env.Target{Drivers: reach{}}, "", ""},
		"without own classes": {classes, env.Target{Nodes: reach{}}, NotApplicable, "needs to create device classes, which only the suite's own drivers allow"},
		"with a stage":        {stage, env.Target{SimulatedNodes: true}, "", ""},
		"without a stage":     {stage, env.Target{}, NotApplicable, "needs nodes that are simulated, which a cluster that is not the run's own gets with --simulate-nodes only"},
		"with whole pools":    {all, env.Target{}, "", ""},
		"with a wrong pool":   {all, env.Target{WrongPool: "pool p is not"}, NotApplicable, "needs all pools that nodes have in common to be complete and valid; pool p is not"},
		"with its scheduler":  {restarts, env.Target{ControlPlane: reach{}}, "", ""},
		"without it":          {restarts, env.Target{Nodes: reach{}}, NotApplicable, "needs to restart the pods' scheduler, which only that of a cluster of the run's own allows"},
		"just new enough":     {recent, env.Target{Release: "v1.35.0"}, "", ""},
		"too old":             {recent, env.Target{Release: "v1.34.9"}, NotApplicable, "is promised since Kubernetes 1.35, the API server is v1.34.9"},
		"of no known age":     {recent, env.Target{}, NotApplicable, "is promised since Kubernetes 1.35, the API server is "},
		"by a newer API":      {recent, env.Target{Release: "v1.36.0", Scheduler: "v1.35.1", Kubelet: "v1.34.9"}, "", ""},
		"by an old scheduler": {recent, env.Target{Release: "v1.36.0", Scheduler: "v1.34.9"}, NotApplicable, "is promised since Kubernetes 1.35, the scheduler is v1.34.9"},
		"beside an old one":   {recentKubelet, env.Target{Release: "v1.36.0", Scheduler: "v1.34.9", Kubelet: "v1.35.1"}, "", ""},
		"by an old kubelet":   {recentKubelet, env.Target{Release: "v1.36.0", Kubelet: "v1.34.9"}, NotApplicable, "is promised since Kubernetes 1.35, a kubelet is v1.34.9"},
		"with what must lack": {without, env.Target{Found: features.Set{"another": {Present: true, Source: "it is on"}}}, NotApplicable, "is about clusters without feature another: it is on"},
		"lacks what it must":  {without, env.Target{Found: found}, "", ""},
		"an unknown need":     {odd, env.Target{}, NotApplicable, `needs "luck", which is not known`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			outcome, why := test.spec.unfit(test.there)
			g.Expect(outcome).To(Equal(test.outcome))
			g.Expect(why).To(Equal(test.why))
		})
	}
	several := []Spec{needy, big, of("small", "p", env.Driver)}
	run, err := New(Options{Specs: several, Selected: several, Target: env.Target{Found: found, Workers: 3}})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(ids(run.Runnable())).To(Equal([]string{"big", "small"}))
}

// reach implements the interfaces of a target.
type reach struct {
	operations.Nodes
	operations.Drivers
	operations.ControlPlane
}
