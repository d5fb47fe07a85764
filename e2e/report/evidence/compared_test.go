// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
)

// compared returns the failed run with a comparison with an earlier one, which
// passed.
func compared(t *testing.T) evidence.Evidence {
	t.Helper()
	e := failed()
	before := failedRun()
	before.Run.ID = "20260228-120000-ffff"
	before.Specs[1].Outcome = suite.Passed
	c := compare.Runs(before, e.Report)
	e.Compared = &c
	return e
}

func TestPageComparesWithAnEarlierRun(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, compared(t))
	g.Expect(d.one(t, atom.Header).text()).To(ContainSubstring("Compared with run 20260228-120000-ffff: 1 of 6 specs passed before and fail now"))
	g.Expect(texts(d.section(t, "failed").all(atom.Li))).To(ConsistOf(HavePrefix("no-room scheduler, passed before The behaviour")))
	g.Expect(texts(d.section(t, "compared").all(atom.Tr))).To(ContainElements("spec before now", "no-room passed failed"))
	text := markdown(t, compared(t))
	g.Expect(text).To(ContainSubstring("\n## Comparison\n\nWith the earlier run 20260228-120000-ffff: 1 of 6 specs passed before and fail now.\n"))
	g.Expect(text).To(ContainSubstring("\nOutcomes that changed:\n\n| spec | before | now |\n|---|---|---|\n| no-room | passed | failed |\n"))
}
