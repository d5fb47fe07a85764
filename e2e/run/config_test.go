// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

func TestPlanDefaults(t *testing.T) {
	g := NewWithT(t)
	p, err := Config{}.plan(specs.All())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Provider).To(Equal(Kind))
	g.Expect(p.Scheduler).To(Equal("kube-scheduler"))
	g.Expect(p.release).To(Equal(clusters.Newest()))
	g.Expect(p.gates.Name()).To(Equal("default"))
	g.Expect(p.TimeoutScale).To(Equal(1.0))
	g.Expect(p.FakedriverImage).To(Equal(images.Fakedriver.Ref))
	g.Expect(p.WorkloadImage).To(Equal(images.Workload.Ref))
	g.Expect(p.id).To(HaveSuffix("-" + p.suffix))
	g.Expect(p.timeouts()).To(Equal(env.DefaultTimeouts()))
}

func TestPlan(t *testing.T) {
	g := NewWithT(t)
	p, err := Config{
		Provider: Existing, Release: "v1.36", Gates: "off", Scheduler: "draconform", TimeoutScale: 0.5, FakedriverImage: "f", WorkloadImage: "w",
		FeatureOverrides: []string{"core=present"},
	}.plan(specs.All())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Provider).To(Equal(Existing))
	g.Expect(p.release.Minor).To(Equal("1.36"))
	g.Expect(p.gates.Name()).To(Equal("off"))
	g.Expect(p.Scheduler).To(Equal("draconform"))
	g.Expect(p.overrides).To(Equal(features.Overrides{features.Core: true}))
	g.Expect([]string{p.FakedriverImage, p.WorkloadImage}).To(Equal([]string{"f", "w"}))
}

// A mirror has all images but those that are set one by one.
func TestImagesOfAnExistingClusterAreThoseOfTheMirror(t *testing.T) {
	g := NewWithT(t)
	p, err := Config{Provider: Existing, ImageRegistry: "registry.example.com/dra", FakedriverImage: "f"}.plan(specs.All())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]string{p.FakedriverImage, p.WorkloadImage, p.NodeAgentImage}).To(Equal([]string{
		"f", "registry.example.com/dra/workload:dev", "registry.example.com/dra/nodeagent:dev",
	}))
}

// A Job chooses the id of its run, so that both have the same label.
func TestPlanWithAnID(t *testing.T) {
	g := NewWithT(t)
	p, err := Config{RunID: "20260102-030405-a1b2"}.plan(specs.All())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect([]string{p.id, p.suffix}).To(Equal([]string{"20260102-030405-a1b2", "a1b2"}))
	for _, id := range []string{"mine", "20260102-030405-A1B2", "20260102-030405-a1b2-x", "20260102-030405-"} {
		g.Expect(Config{RunID: id}.Check(specs.All())).To(And(MatchError(ErrConfig), MatchError(ContainSubstring("is not the id of a run"))), id)
	}
	id, suffix := NewID()
	g.Expect(ParseID(id)).To(Equal(suffix))
}

// Without Claims, a run claims the profiles of which it selects all specs.
func TestPlanClaims(t *testing.T) {
	some := []suite.Spec{
		{ID: "a-one", Profile: "a", Component: env.Scheduler}, {ID: "a-two", Profile: "a", Component: env.Driver},
		{ID: "b-one", Profile: "b", Component: env.Driver},
		{ID: "b-new", Profile: "b", Component: env.Scheduler, Level: suite.Provisional},
	}
	for name, test := range map[string]struct {
		config Config
		want   []string
	}{
		"everything":            {Config{}, []string{"a", "b"}},
		"a profile":             {Config{Selection: suite.Selection{Profiles: []string{"a"}}}, []string{"a"}},
		"a part of each":        {Config{Selection: suite.Selection{Focus: "two$"}}, nil},
		"a part of one":         {Config{Selection: suite.Selection{Labels: "driver"}}, []string{"b"}},
		"without what is new":   {Config{Selection: suite.Selection{Labels: "!level:provisional"}}, []string{"a", "b"}},
		"only what is new":      {Config{Selection: suite.Selection{IDs: []string{"b-new"}}}, nil},
		"a claim":               {Config{Claims: []string{"b"}}, []string{"b"}},
		"more than is selected": {Config{Claims: []string{"a"}, Selection: suite.Selection{Focus: "two$"}}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, err := test.config.plan(some)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(p.claims).To(Equal(test.want))
		})
	}
	_, err := Config{Claims: []string{"a", "c"}}.plan(some)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring(`claim: profile "c" is not known`)))
}

// Errors of a configuration have one line and name the valid values.
func TestCheckErrors(t *testing.T) {
	for name, test := range map[string]struct {
		config Config
		want   string
	}{
		"provider":  {Config{Provider: "minikube"}, `provider "minikube" is not known, use kind, control-plane or existing`},
		"scheduler": {Config{Scheduler: "mine"}, `scheduler "mine" is not known, use kube-scheduler or draconform`},
		"scheduler of another release": {
			Config{Scheduler: "draconform", Release: "1.36", Gates: "alpha"}, "scheduler draconform is built from Kubernetes 1.37 and cannot schedule for 1.36 ",
		},
		"release":                       {Config{Release: "1.20"}, `kubernetes release "1.20" is not supported, use one of `},
		"gates":                         {Config{Gates: "beta"}, `parse feature gates "beta": "beta" is neither Name=true nor Name=false`},
		"a gate that no release has":    {Config{Gates: "DRANothing=true"}, `parse feature gates "DRANothing=true": "DRANothing" is not known in Kubernetes `},
		"a feature":                     {Config{FeatureOverrides: []string{"sharing=absent"}}, `override "sharing=absent": feature "sharing" is not known, use admin-access, api-v1beta1, api-v1beta2, `},
		"label":                         {Config{Selection: suite.Selection{Labels: "sharing"}}, `label "sharing" is not known, did you mean sharing-affinity?`},
		"focus on nothing":              {Config{Selection: suite.Selection{Focus: "^nothing$"}}, `no spec matches --focus "^nothing$"`},
		"specs to begin with":           {Config{First: "("}, `read which specs begin first, "("`},
		"focus that cannot be read":     {Config{Selection: suite.Selection{Focus: "("}}, `read the focus "("`},
		"a kind cluster that is not":    {Config{KindCluster: "c"}, `the kind cluster "c" needs provider existing`},
		"a mirror for kind":             {Config{ImageRegistry: "registry.example.com"}, "an image registry needs provider existing: other clusters have images that are built for them"},
		"an external scheduler in kind": {Config{Scheduler: "external"}, `scheduler "external" is not known, use kube-scheduler or draconform`},
		"a program in kind":             {Config{SchedulerBinary: "scheduler"}, "the program and the configuration of a scheduler need provider control-plane, not kind"},
		"a program that does not exist": {Config{Provider: ControlPlane, SchedulerBinary: "/nonexistent"}, "/nonexistent of the scheduler is not a file"},
		"a folder as configuration":     {Config{Provider: ControlPlane, SchedulerConfig: "/"}, "/ of the scheduler is not a file"},
		"a program of an external one":  {Config{Provider: ControlPlane, Scheduler: "external", SchedulerBinary: "/bin/sh"}, "an external scheduler has no program and no configuration"},
		"a bundled scheduler that is too new": {
			Config{Provider: ControlPlane, Scheduler: "draconform", Release: "1.36", Gates: "alpha"}, "scheduler draconform is built from Kubernetes 1.37 and cannot schedule for 1.36 ",
		},
		"a negative number of nodes": {Config{Workers: -1}, "number of workers must not be negative, not -1"},
		"a negative scale":           {Config{TimeoutScale: -0.5}, "timeout scale must not be negative, not -0.5"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := test.config.Check(specs.All())
			g.Expect(err).To(MatchError(ContainSubstring("wrong configuration: " + test.want)))
			g.Expect(errors.Is(err, ErrConfig)).To(BeTrue())
			g.Expect(strings.Contains(err.Error(), "\n")).To(BeFalse(), "one line")
			test.config.Dir = t.TempDir() + "/missing"
			_, err = Run(t.Context(), test.config, specs.All())
			g.Expect(err).To(MatchError(ErrConfig))
			g.Expect(test.config.Dir).NotTo(BeADirectory(), "no folder is created")
		})
	}
	NewWithT(t).Expect(Config{}.Check(specs.All())).To(Succeed())
}

// A run accepts the entries of the CI matrix and rejects those that the matrix
// leaves out.
func TestCheckAgreesWithTheMatrix(t *testing.T) {
	check := func(e clusters.MatrixEntry) error {
		return Config{Release: e.Release, Gates: e.Gates, Scheduler: e.Scheduler}.Check(specs.All())
	}
	for _, e := range clusters.Matrix().Include {
		NewWithT(t).Expect(check(e)).To(Succeed(), "%+v", e)
	}
	NewWithT(t).Expect(clusters.Excluded()).NotTo(BeEmpty())
	for _, e := range clusters.Excluded() {
		NewWithT(t).Expect(check(e)).To(MatchError(ErrConfig), "%+v", e)
	}
}

func TestNewID(t *testing.T) {
	g := NewWithT(t)
	before := time.Now().UTC().Truncate(time.Second)
	id, suffix := NewID()
	g.Expect(id).To(MatchRegexp(`^\d{8}-\d{6}-[0-9a-f]{4}$`))
	g.Expect(id).To(HaveSuffix("-" + suffix))
	g.Expect(validation.IsValidLabelValue(id)).To(BeEmpty())
	g.Expect(validation.IsDNS1123Label("draconform-" + suffix + "-driver")).To(BeEmpty())
	g.Expect(validation.IsDNS1123Subdomain("mig-" + suffix + ".draconform.dev")).To(BeEmpty())
	made, err := time.Parse("20060102-150405", regexp.MustCompile(`^\d+-\d+`).FindString(id))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(made).To(BeTemporally("~", before, 2*time.Second), "in UTC")
}

func TestTimeoutsScale(t *testing.T) {
	g := NewWithT(t)
	p := plan{Config: Config{TimeoutScale: 2.5}}
	g.Expect(p.timeouts()).To(Equal(env.Timeouts{PodStart: 5 * time.Minute, Unschedulable: 5 * time.Minute, Response: 75 * time.Second, Stable: 7500 * time.Millisecond, Deletion: 5 * time.Minute, Recovery: 5 * time.Minute, KubeletRetries: 15 * time.Minute, HealthExpiry: 87500 * time.Millisecond, SliceRemoval: 112500 * time.Millisecond}))
}

func TestChangerTimeoutScales(t *testing.T) {
	r := &runner{plan: &plan{Config: Config{TimeoutScale: 2.5}}}
	NewWithT(t).Expect(r.newChanger(nil).timeout).To(Equal(450 * time.Second))
}
