// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// The rule of the conformance to a profile, case by case.
func TestNewVerdictProfiles(t *testing.T) {
	claimed := []string{"p"}
	for name, test := range map[string]struct {
		results []suite.Result
		claims  []string
		problem error
		want    report.Conformance
		text    string
		verdict report.Result
	}{
		"all passed": {
			results: slices.Concat(core(suite.Passed, suite.Passed), extended(suite.Passed)), claims: claimed, verdict: report.Passed,
			want: report.Conformant, text: "conformant: core 2 of 2 passed, extended 1 of 1 executed",
		},
		"all passed, not claimed": {
			results: core(suite.Passed), verdict: report.Passed,
			want: report.Conformant, text: "conformant, not claimed: core 1 of 1 passed, extended 0 of 0 executed",
		},
		"no extended spec could run": {
			results: slices.Concat(core(suite.Passed), extended(suite.NotSupported, suite.NotApplicable)), claims: claimed, verdict: report.Passed,
			want: report.Conformant, text: "conformant: core 1 of 1 passed, extended 0 of 0 executed, 2 not executable",
		},
		"a core spec is not-applicable": {
			results: slices.Concat(core(suite.Passed, suite.NotApplicable, suite.NotSupported), extended(suite.Passed)), claims: claimed, verdict: report.Passed,
			want: report.Undecided, text: "undecided, as 2 of 3 core specs could not run, such as p-core-1: it is not-applicable: core 1 of 3 passed, extended 1 of 1 executed",
		},
		"no core spec could run": {
			results: slices.Concat(core(suite.NotApplicable, suite.NotApplicable), extended(suite.Passed, suite.Passed)), claims: claimed, verdict: report.Passed,
			want: report.Undecided, text: "undecided, as 2 of 2 core specs could not run, such as p-core-0: it is not-applicable: core 0 of 2 passed, extended 2 of 2 executed",
		},
		"nothing could run": {
			results: slices.Concat(core(suite.NotApplicable), extended(suite.NotSupported)), claims: claimed, verdict: report.NothingDecided,
			want: report.Undecided, text: "undecided, as 1 of 1 core specs could not run, such as p-core-0: it is not-applicable: core 0 of 1 passed, extended 0 of 0 executed, 1 not executable",
		},
		"the feature is absent": {
			results: slices.Concat(core(suite.NotSupported, suite.NotSupported), extended(suite.Passed, suite.NotApplicable)), claims: claimed, verdict: report.Passed,
			want: report.NotSupported, text: "not-supported, as it is not-supported: core 0 of 2 passed, extended 1 of 1 executed, 1 not executable",
		},
		"one core spec is not-supported": {
			results: core(suite.NotSupported, suite.Passed), claims: claimed, verdict: report.Passed,
			want: report.Undecided, text: "undecided, as 1 of 2 core specs could not run, such as p-core-0: it is not-supported: core 1 of 2 passed, extended 0 of 0 executed",
		},
		"only extended specs": {
			results: extended(suite.Passed), claims: claimed, verdict: report.Passed,
			want: report.Undecided, text: "undecided, as it has no core spec: core 0 of 0 passed, extended 1 of 1 executed",
		},
		"a core spec failed": {
			results: core(suite.Passed, suite.Failed), claims: claimed, verdict: report.Failed,
			want: report.NotConformant, text: "not-conformant, as 1 of 2 specs failed: core 1 of 2 passed, extended 0 of 0 executed",
		},
		"an extended spec failed, not claimed": {
			results: slices.Concat(core(suite.Passed), extended(suite.Failed)), verdict: report.Failed,
			want: report.NotConformant, text: "not-conformant, as 1 of 2 specs failed, not claimed: core 1 of 1 passed, extended 1 of 1 executed",
		},
		"a failure with an absent feature": {
			results: slices.Concat(core(suite.NotSupported), extended(suite.Failed)), claims: claimed, verdict: report.Failed,
			want: report.NotConformant, text: "not-conformant, as 1 of 2 specs failed: core 0 of 1 passed, extended 1 of 1 executed",
		},
		"a provisional spec failed": {
			results: slices.Concat(provisional(suite.Failed), core(suite.Passed)), claims: claimed, verdict: report.Passed,
			want: report.Conformant, text: "conformant: core 1 of 1 passed, extended 0 of 0 executed",
		},
		"a provisional spec was skipped": {
			results: slices.Concat(core(suite.Passed), provisional(suite.Skipped)), claims: claimed, verdict: report.Passed,
			want: report.Conformant, text: "conformant: core 1 of 1 passed, extended 0 of 0 executed",
		},
		"an extended spec of a claimed profile was skipped": {
			results: slices.Concat(core(suite.Passed), extended(suite.Skipped)), claims: claimed, verdict: report.Failed,
			want: report.NotConformant, text: "not-conformant, as 1 of 2 specs were not completed: core 1 of 1 passed, extended 0 of 1 executed",
		},
		"an extended spec was skipped, not claimed": {
			results: slices.Concat(core(suite.Passed), extended(suite.Skipped)), claims: []string{"q"}, verdict: report.Passed,
			want: report.Undecided, text: "undecided, as 1 of 2 specs were not completed, not claimed: core 1 of 1 passed, extended 0 of 1 executed",
		},
		"the run was interrupted": {
			results: core(suite.Passed, suite.Skipped), claims: claimed, problem: errEnded, verdict: report.Incomplete,
			want: report.Undecided, text: "undecided, as 1 of 2 specs were not completed: core 1 of 2 passed, extended 0 of 0 executed",
		},
		"a spec has no outcome": {
			results: core(suite.Passed, ""), claims: claimed, verdict: report.Incomplete,
			want: report.Undecided, text: "undecided, as 1 of 2 specs were not completed: core 1 of 2 passed, extended 0 of 0 executed",
		},
		"another profile has failures": {
			results: append(core(suite.Passed), of("q", suite.Core, suite.Failed)...), claims: claimed, verdict: report.Failed,
			want: report.Conformant, text: "conformant: core 1 of 1 passed, extended 0 of 0 executed",
		},
		"ended by a failure of another profile": {
			results: append(core(suite.Passed, suite.Skipped), of("q", suite.Core, suite.Failed)...), claims: claimed, verdict: report.Failed,
			want: report.NotConformant, text: "not-conformant, as 1 of 2 specs were not completed: core 1 of 2 passed, extended 0 of 0 executed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			v := report.NewVerdict(test.results, test.claims, test.problem)
			g.Expect(v.Profiles[0].Name).To(Equal("p"))
			g.Expect(v.Profiles[0].Result).To(Equal(test.want))
			g.Expect(v.Profiles[0].String()).To(Equal(test.text))
			g.Expect(v.Result).To(Equal(test.verdict))
		})
	}
}

// What did not run is named.
func TestNewVerdictNamesMissingSpecs(t *testing.T) {
	g := NewWithT(t)
	p := report.NewVerdict(slices.Concat(core(suite.NotApplicable, suite.Passed, suite.Failed), extended(suite.Failed, suite.Skipped, suite.NotSupported, "")), nil, nil).Profiles[0]
	g.Expect(p.Core).To(Equal(&report.Core{Specs: 3, Passed: 1, Missing: []string{"p-core-0", "p-core-2"}}))
	g.Expect(p.Extended).To(Equal(&report.Extended{Specs: 4, Executable: 3, Executed: 1, Missing: []string{"p-extended-1", "p-extended-2", "p-extended-3"}}))
}
