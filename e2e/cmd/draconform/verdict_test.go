// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// The output ends with the failures and the verdict, because some systems store
// only the end of an output.
func TestPrintVerdict(t *testing.T) {
	g := NewWithT(t)
	var out strings.Builder
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	got := report.Report{
		Specs: []report.Spec{
			{ID: "fits", Description: "The pod runs.", Outcome: suite.Passed},
			{ID: "no-room", Description: "The pod is unschedulable.", Outcome: suite.Failed, Reason: "pod late should be unschedulable\nit runs on node a"},
		},
		Verdict: report.Verdict{Result: report.Failed, Counts: map[suite.Outcome]int{suite.Passed: 1, suite.Failed: 1}},
	}
	g.Expect(printVerdict(cmd, got, nil)).To(MatchError(errVerdict))
	g.Expect(out.String()).To(Equal("no-room failed. The pod is unschedulable.\n  pod late should be unschedulable\n  it runs on node a\nverdict: failed: 1 passed, 1 failed\n"))
}

// Only a verdict that is failed or incomplete fails the command.
func TestPrintVerdictFails(t *testing.T) {
	for result, fails := range map[report.Result]bool{report.Passed: false, report.NothingDecided: false, report.Failed: true, report.Incomplete: true} {
		g := NewWithT(t)
		cmd := &cobra.Command{}
		cmd.SetOut(io.Discard)
		err := printVerdict(cmd, report.Report{Verdict: report.Verdict{Result: result}}, nil)
		if fails {
			g.Expect(err).To(MatchError(errVerdict), string(result))
		} else {
			g.Expect(err).NotTo(HaveOccurred(), string(result))
		}
	}
}
