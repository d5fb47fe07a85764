// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
)

// fake is a target in which specs do not pass with some variants.
type fake struct {
	// fail maps ids of specs to the variants with all of which they fail.
	fail map[string][]string
	// once are the specs that fail with any variants the first time.
	once map[string]bool
	// errors maps names of runs to errors.
	errors map[string]error
	// ours is the verdict without a variant. Default: passed.
	ours report.Result
	stop context.CancelFunc

	calls []string
}

func (f *fake) run(_ context.Context, name string, b batch, specs []string) (report.Report, error) {
	f.calls = append(f.calls, fmt.Sprintf("%s %v %v", name, b.of(components...), specs))
	if f.stop != nil && name == "batch-2" {
		f.stop()
	}
	if len(specs) == 0 {
		specs = []string{"s1", "s2", "s3", "skipped"}
	}
	r := report.Report{Verdict: report.Verdict{Result: report.Passed}}
	if len(b.variants) == 0 && f.ours != "" {
		r.Verdict.Result = f.ours
	}
	for _, id := range specs {
		s := report.Spec{ID: id, Outcome: suite.Passed}
		if id == "skipped" {
			s.Outcome = suite.NotApplicable
		}
		if by := f.fail[id]; len(by) > 0 && !slices.ContainsFunc(by, func(v string) bool { return !slices.Contains(b.of(components...), v) }) {
			s.Outcome, s.Reason = suite.Failed, "it\nfails"
		}
		if f.once[id] && len(b.variants) > 0 {
			s.Outcome, s.Reason = suite.Failed, "it\nfails"
			delete(f.once, id)
		}
		r.Specs = append(r.Specs, s)
	}
	return r, f.errors[name]
}

func of(component, name string, touches ...string) variant {
	return variant{Name: name, Component: component, Does: "does", Allowed: "may", Touches: touches}
}

var three = divide([]variant{of(scheduler, "a", "x"), of(driver, "b", "y"), of(kubelet, "c", "x")})

func TestBatchesTouchNothingInCommon(t *testing.T) {
	g := NewWithT(t)
	g.Expect(three).To(HaveLen(2))
	g.Expect(three[0].of(scheduler)).To(Equal([]string{"a"}))
	g.Expect(three[0].of(driver, kubelet)).To(Equal([]string{"b"}))
	g.Expect(three[1].of(driver, kubelet)).To(Equal([]string{"c"}))
}

func TestRightVariantsAreConformant(t *testing.T) {
	g := NewWithT(t)
	target := &fake{}
	results, err := (&runner{target: target}).run(t.Context(), three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{"without [] []", "batch-1 [a b] []", "batch-2 [c] []"}))
	g.Expect(conformant(results)).To(BeTrue())
}

// The report of an earlier run replaces the run without a variant, and its specs are those
// that must pass.
func TestReportOfAnEarlierRun(t *testing.T) {
	g := NewWithT(t)
	earlier := report.Report{Verdict: report.Verdict{Result: report.Passed}, Specs: []report.Spec{{ID: "s1", Outcome: suite.Passed}, {ID: "s2", Outcome: suite.Failed}}}
	target := &fake{fail: map[string][]string{"s1": {"c"}, "s2": {"a"}}}
	results, err := (&runner{target: target, without: &earlier}).run(t.Context(), three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{"batch-1 [a b] []", "batch-2 [c] []", "batch-2-again [c] [s1]", "batch-2-c [c] [s1]"}))
	g.Expect(results[0].blamed).To(BeEmpty())

	earlier.Verdict.Result = report.Failed
	_, err = (&runner{target: target, without: &earlier}).run(t.Context(), three)
	g.Expect(err).To(MatchError(`without a variant, the verdict is "failed": `))
}

// A report of an earlier run is refused if it does not have all specs that run with
// variants.
func TestReportOfAnEarlierRunHasAllSpecs(t *testing.T) {
	g := NewWithT(t)
	of := func(provider string, outcomes ...suite.Outcome) report.Report {
		r := report.Report{Cluster: report.Cluster{Provider: provider}}
		for _, o := range outcomes {
			r.Specs = append(r.Specs, report.Spec{Outcome: o})
		}
		return r
	}
	g.Expect(fits(of(run.Kind, suite.Passed, suite.NotApplicable), run.Kind)).To(Succeed())
	g.Expect(fits(of(run.Existing), run.Kind)).To(Succeed())
	g.Expect(fits(of(run.ControlPlane), run.ControlPlane)).To(Succeed())
	g.Expect(fits(of(run.ControlPlane), run.Kind)).To(MatchError("is about a cluster of provider control-plane, and variants run with kind"))
	g.Expect(fits(of(run.Kind), run.ControlPlane)).NotTo(Succeed())
	g.Expect(fits(of(run.Kind, suite.Passed, suite.Skipped), run.Kind)).To(MatchError("is not about the whole suite: it has skipped specs"))

	_, err := options{without: filepath.Join(t.TempDir(), "report.yaml")}.earlier()
	g.Expect(err).To(MatchError(command.ErrUsage), "there is no report")
}

// A spec that does not pass is repeated, also with each variant alone, and the table
// names those with which it does not pass again.
func TestBlamedVariantsAreFound(t *testing.T) {
	g := NewWithT(t)
	target := &fake{fail: map[string][]string{"s1": {"a"}, "s2": {"a", "b"}}}
	results, err := (&runner{target: target}).run(t.Context(), three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{
		"without [] []", "batch-1 [a b] []", "batch-1-again [a b] [s1 s2]", "batch-1-a [a] [s1 s2]", "batch-1-b [b] [s1 s2]", "batch-2 [c] []",
	}))
	g.Expect(conformant(results)).To(BeFalse())
	results[0].took, results[1].took = time.Minute, time.Second
	g.Expect(table(results)).To(Equal(`BATCH    VERDICT     TIME  VARIANTS
batch-1  BLAMED      1m0s  a, b
batch-2  conformant  1s    c
batch-1: s1 is "failed" because of a: it fails
batch-1: s2 is "failed" because of no variant alone: it fails
`))
}

// A spec that passes when it is repeated does not always pass, so that the variants are not
// tried one by one. They are not conformant all the same.
func TestSpecsThatPassAgain(t *testing.T) {
	g := NewWithT(t)
	target := &fake{once: map[string]bool{"s3": true}}
	results, err := (&runner{target: target}).run(t.Context(), three)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(target.calls).To(Equal([]string{"without [] []", "batch-1 [a b] []", "batch-1-again [a b] [s3]", "batch-2 [c] []"}))
	g.Expect(conformant(results)).To(BeFalse())
	g.Expect(table(results)).To(ContainSubstring(`batch-1: s3 is "failed" and passed when it was repeated: it fails`))
}

func TestRunErrors(t *testing.T) {
	t.Run("ours does not conform", func(t *testing.T) {
		_, err := (&runner{target: &fake{ours: report.Failed}}).run(t.Context(), three)
		NewWithT(t).Expect(err).To(MatchError(`without a variant, the verdict is "failed": `))
	})
	t.Run("no report without a variant", func(t *testing.T) {
		_, err := (&runner{target: &fake{errors: map[string]error{"without": errors.New("no report")}}}).run(t.Context(), three)
		NewWithT(t).Expect(err).To(MatchError("run the whole suite without a variant: no report"))
	})
	t.Run("no report with a batch", func(t *testing.T) {
		g := NewWithT(t)
		results, err := (&runner{target: &fake{errors: map[string]error{"batch-1": errors.New("no report")}}}).run(t.Context(), three)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(results).To(HaveLen(2), "the next batch is run")
		g.Expect(conformant(results)).To(BeFalse())
		g.Expect(table(results)).To(ContainSubstring("batch-1: no report\n"))
	})
	t.Run("interrupted", func(t *testing.T) {
		g := NewWithT(t)
		ctx, stop := context.WithCancel(t.Context())
		results, err := (&runner{target: &fake{stop: stop}}).run(ctx, three)
		g.Expect(err).To(MatchError("not all batches were run: context canceled"))
		g.Expect(results).To(HaveLen(1))
	})
}

func TestImages(t *testing.T) {
	g := NewWithT(t)
	var refs []string
	for _, image := range imagesOf(three[:1])[4:] {
		refs = append(refs, image.Ref+" "+image.Env[0])
		g.Expect(image.Tags).To(Equal([]string{"draconform_variants"}))
	}
	g.Expect(refs).To(Equal([]string{
		"draconform.dev/draconform-scheduler:batch-1 DRACONFORM_VARIANT=a", "draconform.dev/fakedriver:batch-1 DRACONFORM_VARIANT=b",
		"draconform.dev/draconform-scheduler:a DRACONFORM_VARIANT=a", "draconform.dev/fakedriver:b DRACONFORM_VARIANT=b",
	}))
	g.Expect(images.Scheduler.Tags).To(BeEmpty(), "the image itself is unchanged")
}
