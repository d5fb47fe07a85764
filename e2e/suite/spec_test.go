// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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

// of returns a valid spec.
func of(id, profile string, component env.Component, needs ...features.Feature) Spec {
	return Spec{ID: id, Description: "It behaves as specified.", Profile: profile, Component: component, Features: needs, Body: func(context.Context, *env.Env) {}}
}

func ids(specs []Spec) []string {
	all := []string{}
	for _, s := range specs {
		all = append(all, s.ID)
	}
	return all
}

func TestValidate(t *testing.T) {
	good := of("a-spec-1", "p", env.Driver)
	for name, test := range map[string]struct {
		change func(*Spec)
		want   string
	}{
		"capital letters":    {func(s *Spec) { s.ID = "A" }, `spec id "A" must consist of lower-case letters, digits and dashes`},
		"no id":              {func(s *Spec) { s.ID = "" }, `spec id "" must consist of`},
		"a dot":              {func(s *Spec) { s.ID = "a.b" }, `spec id "a.b" must consist of`},
		"the same id":        {func(s *Spec) { s.ID = good.ID }, `spec id "a-spec-1" is used twice`},
		"no description":     {func(s *Spec) { s.Description = "" }, "spec other must have a description, a profile, a component, and either a body or a journey"},
		"no profile":         {func(s *Spec) { s.Profile = "" }, "spec other must have"},
		"no component":       {func(s *Spec) { s.Component = "" }, "spec other must have"},
		"an invalid release": {func(s *Spec) { s.Since = "soon" }, `spec other needs release "soon", which is invalid`},
		"an unknown level":   {func(s *Spec) { s.Level = Provisional + 1 }, "spec other has an unknown level: 3"},
		"no body":            {func(s *Spec) { s.Body = nil }, "spec other must have"},
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
	g.Expect(of("a", "p", env.Driver, "z", "core").Labels()).To(Equal([]string{"core", "driver", "level:extended", "p", "z"}), "sorted")
	g.Expect(of("a", "driver", env.Driver).Labels()).To(Equal([]string{"driver", "level:extended"}), "once each")
	few := of("a", "p", env.Driver)
	few.Smoke, few.Level = true, Core
	g.Expect(few.Labels()).To(Equal([]string{"driver", "level:core", "p", "smoke"}), "the level is not the feature core")
	few.Kinds = []subject.Kind{subject.KindShared}
	g.Expect(few.Labels()).To(Equal([]string{"containers", "driver", "level:core", "p", "smoke"}), "a spec with devices of a driver")
	g.Expect(KnownLabels([]Spec{of("a", "p", env.Driver), of("b", "p", env.Cluster)})).To(Equal([]string{"cluster", "driver", "level:extended", "p"}))
}

func TestSerial(t *testing.T) {
	g := NewWithT(t)
	for _, need := range []env.Need{env.NeedsNodes, env.NeedsScheduler, env.NeedsOwnCluster, env.NeedsVersions, env.NeedsWholePools} {
		g.Expect(Spec{Needs: []env.Need{env.NeedsDriverCalls, need}}.Serial()).To(BeTrue(), string(need))
	}
	g.Expect(Spec{Journey: &journey.Journey{}}.Serial()).To(BeTrue())
	g.Expect(Spec{Alone: true, Needs: []env.Need{env.NeedsSimulatedNodes}}.Serial()).To(BeTrue())
	g.Expect(Spec{Needs: []env.Need{env.NeedsSimulatedNodes, env.NeedsDeviceClasses, env.NeedsDriverCalls}}.Serial()).To(BeFalse())
	g.Expect(Spec{}.Serial()).To(BeFalse())
}

func TestPrecludedOutcome(t *testing.T) {
	found := features.Set{features.Core: {Present: true}, "another": {Source: "it is off"}}
	big := of("big", "p", env.Driver, features.Core)
	big.MinNodes = 3
	needy := of("needy", "p", env.Driver, features.Core, "another")
	needy.MinNodes = 3
	shared := of("shared", "p", env.Driver)
	shared.Kinds = []subject.Kind{subject.KindShared}
	control := of("control", "p", env.Driver)
	control.Needs = []env.Need{env.NeedsNodes, env.NeedsDriverCalls}
	classes := of("classes", "p", env.Driver)
	classes.Needs = []env.Need{env.NeedsDeviceClasses}
	odd := of("odd", "p", env.Driver)
	odd.Needs = []env.Need{"luck"}
	simulated := of("simulated", "p", env.Scheduler)
	simulated.Needs = []env.Need{env.NeedsSimulatedNodes}
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
		target  env.Target
		outcome Outcome
		why     string
	}{
		"just large enough":            {big, env.Target{Found: found, Workers: 3}, "", ""},
		"too small":                    {big, env.Target{Found: found, Workers: 2}, NotApplicable, "needs 3 worker nodes, the cluster has 2"},
		"without a feature":            {needy, env.Target{Found: found, Workers: 3}, NotSupported, "feature another is absent: it is off"},
		"without both":                 {needy, env.Target{Found: found, Workers: 1}, NotSupported, "feature another is absent: it is off"},
		"with such devices":            {shared, env.Target{Subject: offered}, "", ""},
		"without such":                 {shared, env.Target{}, NotApplicable, "no driver offers devices of the kind shared"},
		"with a field":                 {identified, env.Target{Subject: withIdentity}, "", ""},
		"without a field":              {identified, env.Target{Subject: offered}, NotApplicable, "needs roles.shared.identity: add it to the driver file"},
		"with such and feature":        {exclusive, env.Target{Subject: demanding, Found: features.Set{"another": {Present: true}}}, "", ""},
		"with such, no feature":        {exclusive, env.Target{Subject: demanding, Found: found}, NotSupported, "feature another is absent: it is off"},
		"with all needs":               {control, env.Target{Nodes: access{}, Drivers: access{}}, "", ""},
		"without nodes":                {control, env.Target{Drivers: access{}}, NotApplicable, "needs to restart nodes, which is only possible in a cluster that the run created"},
		"without the drivers":          {control, env.Target{Nodes: access{}}, NotApplicable, "needs to control the driver, which is only possible with the fake drivers"},
		"with own classes":             {classes, env.Target{DeviceClasses: true}, "", ""},
		"without own classes":          {classes, env.Target{Drivers: access{}}, NotApplicable, "needs to create device classes, which is only possible with the fake drivers"},
		"with simulated nodes":         {simulated, env.Target{SimulatedNodes: true}, "", ""},
		"without simulated nodes":      {simulated, env.Target{}, NotApplicable, "needs simulated nodes, which an existing cluster allows only with --simulate-nodes"},
		"with whole pools":             {all, env.Target{}, "", ""},
		"with a wrong pool":            {all, env.Target{UnusablePool: "pool p is not"}, NotApplicable, "needs complete and valid pools on all nodes; pool p is not"},
		"with the scheduler":           {restarts, env.Target{ControlPlane: access{}}, "", ""},
		"without the scheduler":        {restarts, env.Target{Nodes: access{}}, NotApplicable, "needs to restart the scheduler of the pods, which is only possible in a cluster that the run created"},
		"just new enough":              {recent, env.Target{Release: "v1.35.0"}, "", ""},
		"too old":                      {recent, env.Target{Release: "v1.34.9"}, NotApplicable, "needs Kubernetes 1.35 or newer, the API server is v1.34.9"},
		"of unknown release":           {recent, env.Target{}, NotApplicable, "needs Kubernetes 1.35 or newer, the API server is "},
		"of another component":         {recent, env.Target{Release: "v1.36.0", Scheduler: "v1.35.1", Kubelet: "v1.34.9"}, "", ""},
		"too old a scheduler":          {recent, env.Target{Release: "v1.36.0", Scheduler: "v1.34.9"}, NotApplicable, "needs Kubernetes 1.35 or newer, the scheduler is v1.34.9"},
		"with an old scheduler":        {recentKubelet, env.Target{Release: "v1.36.0", Scheduler: "v1.34.9", Kubelet: "v1.35.1"}, "", ""},
		"too old a kubelet":            {recentKubelet, env.Target{Release: "v1.36.0", Kubelet: "v1.34.9"}, NotApplicable, "needs Kubernetes 1.35 or newer, a kubelet is v1.34.9"},
		"with an unwanted feature":     {without, env.Target{Found: features.Set{"another": {Present: true, Source: "it is on"}}}, NotApplicable, "is for clusters without feature another: it is on"},
		"without the unwanted feature": {without, env.Target{Found: found}, "", ""},
		"an unknown need":              {odd, env.Target{}, NotApplicable, `needs "luck", which is not known`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			outcome, why := test.spec.precludedOutcome(test.target)
			g.Expect(outcome).To(Equal(test.outcome))
			g.Expect(why).To(Equal(test.why))
		})
	}
	several := []Spec{needy, big, of("small", "p", env.Driver)}
	run, err := New(Options{Specs: several, Selected: several, Target: env.Target{Found: found, Workers: 3}})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(ids(run.Runnable())).To(Equal([]string{"big", "small"}))
}

// access implements the interfaces of a target.
type access struct {
	operations.Nodes
	operations.Drivers
	operations.ControlPlane
}
