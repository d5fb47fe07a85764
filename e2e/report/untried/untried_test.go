// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package untried_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/untried"
	"github.com/draconform/draconform/e2e/suite"
)

func run(specs ...report.Spec) report.Report { return report.Report{Specs: specs} }

func spec(id string, o suite.Outcome, reason string) report.Spec {
	return report.Spec{ID: id, Outcome: o, Reason: reason}
}

// Only an attempt counts, whatever its outcome.
func TestSpecsThatNoRunTried(t *testing.T) {
	g := NewWithT(t)
	var all []suite.Spec
	for _, id := range []string{"passes", "fails", "passes-once", "lacks-feature", "ends-early", "in-no-run"} {
		all = append(all, suite.Spec{ID: id, Profile: "of-" + id})
	}
	found := untried.Find(all, []report.Report{
		run(spec("passes", suite.Passed, ""), spec("fails", suite.NotSupported, "gate off"), spec("passes-once", suite.Skipped, "not selected"),
			spec("lacks-feature", suite.NotApplicable, "too old"), spec("ends-early", "", "")),
		run(spec("passes", suite.Passed, ""), spec("fails", suite.Failed, "wrong"), spec("passes-once", suite.Passed, ""),
			spec("lacks-feature", suite.NotSupported, "gate off")),
		run(spec("lacks-feature", suite.NotSupported, "gate off"), spec("no-longer-there", suite.Skipped, "")),
	})
	g.Expect(found).To(Equal([]untried.Spec{
		{ID: "lacks-feature", Profile: "of-lacks-feature", Reasons: []untried.Reason{{Text: "gate off", Runs: 2}, {Text: "too old", Runs: 1}}},
		{ID: "ends-early", Profile: "of-ends-early", Reasons: []untried.Reason{{Text: "the run ended before", Runs: 1}}},
		{ID: "in-no-run", Profile: "of-in-no-run"},
	}))
}

func TestReportsAreFoundAtAnyDepth(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	want := []string{filepath.Join(dir, "1.36", "run", "report.yaml"), filepath.Join(dir, "run", "report.yaml")}
	for _, file := range append(want, filepath.Join(dir, "run", "artifacts", "pods.yaml")) {
		g.Expect(os.MkdirAll(filepath.Dir(file), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(file, nil, 0o644)).To(Succeed())
	}
	g.Expect(untried.Reports(dir)).To(Equal(want))
	renamed := filepath.Join(dir, "run", "artifacts", "pods.yaml")
	g.Expect(untried.Reports(renamed)).To(Equal([]string{renamed}), "a report may have any name if it is given")
	_, err := untried.Reports(filepath.Join(dir, "absent"))
	g.Expect(err).To(MatchError(fs.ErrNotExist))
}
