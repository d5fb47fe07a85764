// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kind

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
)

func TestOptionsDefaults(t *testing.T) {
	g := NewWithT(t)
	o := Options{Run: "r1"}
	g.Expect(o.setDefaults()).To(Succeed())
	set, err := gates.Parse("default", clusters.Newest())
	g.Expect(err).NotTo(HaveOccurred())
	want := Options{
		Name: "draconform", Run: "r1", Release: clusters.Newest(), Workers: 4, Gates: set,
		Scheduler: "kube-scheduler", SchedulerVerbosity: 6, ReadyTimeout: 3 * time.Minute,
	}
	g.Expect(o).To(Equal(want))
	g.Expect(o.setDefaults()).To(Succeed())
	g.Expect(o).To(Equal(want), "the defaults are idempotent")
}

func TestSetDefaultsKeepsSetOptions(t *testing.T) {
	g := NewWithT(t)
	oldest := clusters.Releases()[len(clusters.Releases())-1]
	set, err := gates.Parse("alpha", oldest)
	g.Expect(err).NotTo(HaveOccurred())
	o := Options{
		Name: "c", Run: "r1", Release: oldest, Workers: 1, Gates: set, Serve: []string{"resource.k8s.io/v1beta1"}, Image: "i",
		Scheduler: "kube-scheduler", SchedulerVerbosity: -1,
		Kubeconfig: "k", ReadyTimeout: time.Second,
	}
	want := o
	g.Expect(o.setDefaults()).To(Succeed())
	g.Expect(o).To(Equal(want))
}

func TestOptionsReject(t *testing.T) {
	const nameRule = " must be 1 to 40 lower-case letters, digits and dashes, with a letter or digit at both ends"
	for name, test := range map[string]struct {
		options Options
		want    string
	}{
		"capitals in a name":         {Options{Run: "r1", Name: "Mine"}, `cluster name "Mine"` + nameRule},
		"a dot in a name":            {Options{Run: "r1", Name: "a.b"}, `cluster name "a.b"` + nameRule},
		"a dash at the name's front": {Options{Run: "r1", Name: "-a"}, `cluster name "-a"` + nameRule},
		"a dash at the name's end":   {Options{Run: "r1", Name: "a-"}, `cluster name "a-"` + nameRule},
		"a second line in a name":    {Options{Run: "r1", Name: "a\n"}, `cluster name "a\n"` + nameRule},
		"41 characters of name": {
			Options{Run: "r1", Name: strings.Repeat("a", 41)}, `cluster name "` + strings.Repeat("a", 41) + `"` + nameRule,
		},
		"no run": {Options{}, "a cluster needs the id of the run it belongs to"},
		"a version that is served anyway": {
			Options{Run: "r1", Serve: []string{"resource.k8s.io/v1"}},
			`API version "resource.k8s.io/v1" cannot be served, only resource.k8s.io/v1beta1 and resource.k8s.io/v1beta2: the others are served by default or with the feature gates that need them`,
		},
		"negative workers":              {Options{Run: "r1", Workers: -1}, "number of workers must not be negative, not -1"},
		"a scheduler that is not known": {Options{Run: "r1", Scheduler: "mine"}, `scheduler "mine" is not known, use kube-scheduler or draconform`},
		"an unknown release": {
			Options{Run: "r1", Release: clusters.Release{Minor: "1.12", Version: "1.12.0"}},
			`parse feature gates "default": Kubernetes "1.12" is not supported`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(test.options.setDefaults()).To(MatchError(test.want))
		})
	}
}

func TestOptionsAcceptNames(t *testing.T) {
	for _, name := range []string{"a", "7", "draconform-e2e", strings.Repeat("a", 40)} {
		t.Run(name, func(t *testing.T) {
			o := Options{Name: name, Run: "r1"}
			NewWithT(t).Expect(o.setDefaults()).To(Succeed())
		})
	}
}

func TestCreateValidatesOptionsFirst(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Provider)
		want   string
	}{
		"an unknown version": {
			func(p *Provider) { p.WithVersion("1.12") }, `kubernetes release "1.12" is not supported, use one of `,
		},
		"a bad name": {func(p *Provider) { p.WithName("Mine") }, `cluster name "Mine" must be `},
		"no run":     {func(p *Provider) { p.options.Run = "" }, "a cluster needs the id of the run"},
		"a scheduler that does not know the gates' APIs": {
			func(p *Provider) {
				p.options.Scheduler = skew.DraconformScheduler
				p.options.Gates = mustParse("alpha", clusters.Newest())
				p.WithVersion("1.36")
			}, "scheduler draconform is built from Kubernetes 1.37 and cannot schedule for 1.36 ",
		},
		"a bad name, validated twice": {
			func(p *Provider) { p.WithName("Mine").SetDefaults() }, `cluster name "Mine" must be `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, f := newProvider(t)
			test.change(p)
			_, err := p.Create(t.Context())
			g.Expect(err).To(MatchError(HavePrefix(test.want)))
			g.Expect(err.Error()).NotTo(ContainSubstring("\n"), "one error")
			g.Expect(f.Lines()).To(BeEmpty())
		})
	}
}

// TestSetDefaultsBeforeOtherOptions calls a provider in the same order as e2e-framework's CreateClusterWithOpts.
func TestSetDefaultsBeforeOtherOptions(t *testing.T) {
	t.Run("does not keep a replaced name", func(t *testing.T) {
		p, _ := newProvider(t)
		p.WithName("Mine").SetDefaults().WithName("mine").SetDefaults()
		NewWithT(t).Expect(p.invalid()).To(Succeed())
	})
	t.Run("uses the gates of a release that is set later", func(t *testing.T) {
		g := NewWithT(t)
		oldest := clusters.Releases()[len(clusters.Releases())-1]
		p, _ := newProvider(t)
		set, err := gates.Parse("alpha", clusters.Newest())
		g.Expect(err).NotTo(HaveOccurred())
		p.options.Gates = set
		p.SetDefaults().WithVersion(oldest.Version).SetDefaults()
		g.Expect(p.invalid()).To(Succeed())
		want, err := gates.Parse("alpha", oldest)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.options.Gates).To(Equal(want))
	})
}

func mustParse(list string, release clusters.Release) gates.Set {
	set, err := gates.Parse(list, release)
	if err != nil {
		panic(err)
	}
	return set
}
