// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// Many large failures do not make the page large. It says what it lacks.
func TestPageStaysSmall(t *testing.T) {
	for name, test := range map[string]struct {
		specs, failed, steps, reason int
		leftOut                      bool
		provisional                  bool // Those that did not fail are new, and the cluster does not support them.
		skipped                      bool // Those that did not fail were excluded by a long selection.
	}{
		"a usual run":     {specs: 300, steps: 8},
		"some failed":     {specs: 300, failed: 8, steps: 8, reason: 30},
		"many steps":      {specs: 300, steps: 60, leftOut: true},
		"all failed":      {specs: 300, failed: 300, steps: 60, reason: 200, leftOut: true},
		"large reasons":   {specs: 300, failed: 300, steps: 60, reason: 3000, leftOut: true},
		"many new ones":   {specs: 600, failed: 20, steps: 60, reason: 30, leftOut: true, provisional: true},
		"long selection":  {specs: 600, failed: 1, steps: 8, reason: 30, skipped: true},
		"one huge reason": {specs: 1, failed: 1, steps: 9000, reason: 90_000, leftOut: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e := failed()
			files := fstest.MapFS{}
			e.Report.Specs, e.Files = nil, files
			for i := range test.specs {
				s := report.Spec{
					ID: fmt.Sprintf("a-spec-with-a-usual-long-name-%d", i), Description: strings.Repeat("A usual description. ", 8), Profile: "partitioning", Level: "core",
					Component: env.Scheduler, Outcome: suite.Passed, After: ptr.To(float64(i)), Seconds: 30,
				}
				for n := range test.steps {
					s.Steps = append(s.Steps, report.Step{After: float64(n), Text: "waiting until claim one and pod one are as they should be"})
				}
				if test.provisional && i >= test.failed {
					s.Level, s.Outcome, s.Reason, s.Steps = "provisional", suite.NotSupported, strings.Repeat("The cluster lacks a feature. ", 4), nil
				}
				if test.skipped && i >= test.failed {
					s.Outcome, s.Reason, s.Steps = suite.Skipped, "excluded by the selection --focus "+strings.Repeat("a-spec-with-a-usual-long-name|", 30), nil
				}
				if i < test.failed {
					s.Outcome, s.Reason, s.Failure = suite.Failed, strings.Repeat("it is <not> so\n", test.reason), &report.Failure{After: 29}
					for _, file := range []string{"claims.yaml", "slices.yaml"} {
						files[path.Join("artifacts", s.ID, file)] = left.(fstest.MapFS)[path.Join("artifacts/no-room", file)]
					}
				}
				e.Report.Specs = append(e.Report.Specs, s)
			}
			var b strings.Builder
			g.Expect(e.HTML(t.Context(), &b)).To(Succeed())
			g.Expect(b.Len()).To(BeNumerically("<", evidence.MaxPage))
			d := rendered(t, e)
			g.Expect(d.section(t, "specs").one(t, atom.Tbody).all(atom.Tr)).To(HaveLen(test.specs), "every spec is in the table")
			g.Expect(d.all(atom.Footer)).To(HaveLen(map[bool]int{true: 1}[test.leftOut]))
		})
	}
}

// wholeRun returns a run of 640 specs, of which some failed, with the requirements of all
// KEPs. Each has a sentence and steps of usual length.
func wholeRun(failures int) evidence.Evidence {
	var ids []string
	for _, q := range requirements.All() {
		ids = append(ids, q.Specs...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for n := len(ids); n < 640; n++ {
		ids = append(ids, fmt.Sprintf("a-spec-with-a-usual-long-name-%d", n))
	}
	e := failed()
	files := fstest.MapFS{}
	e.Report.Specs, e.Files = nil, files
	for i, id := range ids[:640] {
		s := report.Spec{
			ID: id, Description: strings.Repeat("The sentence about a behaviour has a usual length. ", 3)[:135], Profile: fmt.Sprintf("profile-%d", i/32), Level: []string{"core", "provisional"}[i%2],
			Component: env.Scheduler, Outcome: suite.Passed, After: ptr.To(float64(i) * 1.7), Seconds: 12.3,
		}
		for n := range 9 {
			s.Steps = append(s.Steps, report.Step{After: float64(n), Text: "waiting until claim one and pod one are as they should be"})
		}
		switch {
		case i*failures/640 != (i+1)*failures/640:
			s.Outcome, s.Reason, s.Failure = suite.Failed, whyFailed+strings.Repeat("\n    the devices of the claim", 20), &report.Failure{After: 9, Namespace: "spec-1"}
			for _, file := range []string{"nodes.yaml", "pods.yaml", "events.yaml"} {
				files[path.Join("artifacts", id, file)] = &fstest.MapFile{Data: []byte("{}")}
			}
			for _, file := range []string{"claims.yaml", "slices.yaml"} {
				if i < 100 { // Reading them takes long.
					files[path.Join("artifacts", id, file)] = left.(fstest.MapFS)[path.Join("artifacts/no-room", file)]
				}
			}
		case i%5 == 0:
			s.Outcome, s.Reason, s.Steps, s.After = suite.NotSupported, "feature f is absent: the API server drops spec.devices[].attributes{}.strings of a ResourceSlice (dry run)", nil, nil
		}
		e.Report.Specs = append(e.Report.Specs, s)
	}
	e.Requirements = evidence.RequirementOutcomes(e.Report)
	return e
}

// The page of a whole run stays below 0.6 MB, whether a few specs failed or all. All failed
// specs are on it, and the first ones with details. Of a few, nothing is left out.
func TestPageOfAWholeRunIsSmall(t *testing.T) {
	for _, failures := range []int{0, 12, 60, 640} {
		t.Run(fmt.Sprintf("%d failed", failures), func(t *testing.T) {
			g := NewWithT(t)
			e := wholeRun(failures)
			g.Expect(len(e.Requirements)).To(BeNumerically(">", 600))
			var b strings.Builder
			g.Expect(e.HTML(t.Context(), &b)).To(Succeed())
			g.Expect(b.Len()).To(BeNumerically("<", 600_000))
			d := rendered(t, e)
			t.Logf("%d bytes; %s", b.Len(), texts(d.all(atom.Footer)))
			g.Expect(d.section(t, "specs").one(t, atom.Tbody).all(atom.Tr)).To(HaveLen(640), "every spec is in the table")
			if failures > 0 {
				details := d.section(t, "failures").all(atom.H3)
				g.Expect(len(details)).To(And(BeNumerically(">=", min(failures, 40)), BeNumerically("<=", failures)))
				g.Expect(d.section(t, "failures").all(atom.Figure)).NotTo(BeEmpty(), "pools are drawn")
			}
			for _, s := range e.Report.Specs {
				if s.Outcome == suite.Failed && failures <= 60 {
					detail := d.id(t, "spec-"+s.ID)
					g.Expect(detail.all(atom.Pre)[0].raw()).To(Equal(s.Reason), "all of the reason")
					g.Expect(detail.all(atom.Ol)[0].all(atom.Li)).To(HaveLen(len(s.Steps)+1), "all steps, and the removal")
				}
			}
			ids := map[string]bool{}
			for _, e := range d.all() {
				ids[e.attr("id")] = true
			}
			for _, a := range d.all(atom.A) {
				if id, ok := strings.CutPrefix(a.attr("href"), "#"); ok {
					g.Expect(ids).To(HaveKey(id), "what a link leads to")
				}
			}
		})
	}
}
