// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/report"
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
			g.Expect(b.Len()).To(BeNumerically("<", 1_000_000))
			d := rendered(t, e)
			g.Expect(d.section(t, "specs").one(t, atom.Tbody).all(atom.Tr)).To(HaveLen(test.specs), "every spec is in the table")
			g.Expect(d.all(atom.Footer)).To(HaveLen(map[bool]int{true: 1}[test.leftOut]))
		})
	}
}
