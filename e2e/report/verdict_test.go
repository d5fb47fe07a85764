// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

var errEnded = errors.New("the cluster went away")

// endOf returns the error of a run whose control plane has lost a component, among others.
func endOf(component string, tested bool) error {
	return errors.Join(&suite.Ended{Component: component, Result: "exit status 2", Text: "a long text", Tested: tested}, errEnded)
}

// of returns the results of the specs of a profile.
func of(profile string, level suite.Level, outcomes ...suite.Outcome) []suite.Result {
	var all []suite.Result
	for i, o := range outcomes {
		r := suite.Result{Spec: suite.Spec{ID: fmt.Sprintf("%s-%s-%d", profile, level, i), Profile: profile, Level: level}, Outcome: o}
		if o != suite.Passed {
			r.Reason = "it is " + string(o)
		}
		all = append(all, r)
	}
	return all
}

func core(outcomes ...suite.Outcome) []suite.Result     { return of("p", suite.Core, outcomes...) }
func extended(outcomes ...suite.Outcome) []suite.Result { return of("p", suite.Extended, outcomes...) }
func provisional(outcomes ...suite.Outcome) []suite.Result {
	return of("p", suite.Provisional, outcomes...)
}

// The rule of the verdict, case by case.
func TestNewVerdict(t *testing.T) {
	for name, test := range map[string]struct {
		results []suite.Result
		problem error
		want    report.Result
		text    string
	}{
		"all passed":               {results: core(suite.Passed, suite.Passed), want: report.Passed, text: "passed: 2 passed"},
		"a core spec failed":       {results: core(suite.Passed, suite.Failed), want: report.Failed, text: "failed: 1 passed, 1 failed; not conformant: p"},
		"an extended spec failed":  {results: slices.Concat(core(suite.Passed), extended(suite.Failed)), want: report.Failed, text: "failed: 1 passed, 1 failed; not conformant: p"},
		"a provisional one failed": {results: slices.Concat(core(suite.Passed), provisional(suite.Failed)), want: report.Passed, text: "passed: 1 passed; provisional: 1 failed"},
		"provisional specs": {
			results: slices.Concat(core(suite.Passed), provisional(suite.Passed, suite.NotApplicable, suite.Failed, suite.Passed)),
			want:    report.Passed, text: "passed: 1 passed; provisional: 2 passed, 1 failed",
		},
		"a provisional spec and a failure":       {results: slices.Concat(core(suite.Failed), provisional(suite.Passed)), want: report.Failed, text: "failed: 1 failed; provisional: 1 passed; not conformant: p"},
		"only provisional specs":                 {results: provisional(suite.Passed), want: report.NothingDecided, text: "undecided: only provisional specs were tested: 1 passed"},
		"only provisional specs, and one failed": {results: provisional(suite.Passed, suite.Failed, suite.NotApplicable), want: report.NothingDecided, text: "undecided: only provisional specs were tested: 1 passed, 1 failed"},
		"only provisional specs could run": {
			results: slices.Concat(core(suite.NotSupported), provisional(suite.Failed)),
			want:    report.NothingDecided, text: "undecided: 1 not-supported; only provisional specs were tested: 1 failed",
		},
		"no provisional spec could run":                    {results: provisional(suite.NotApplicable), want: report.NothingDecided, text: "undecided: nothing was tested"},
		"only skipped specs":                               {results: core(suite.Skipped), want: report.NothingDecided, text: "undecided: 1 skipped; nothing was tested"},
		"only provisional specs of a run that ended early": {results: provisional(suite.Failed, ""), problem: errEnded, want: report.Incomplete, text: "incomplete: provisional: 1 failed"},
		"not-supported specs do not fail the run":          {results: core(suite.Passed, suite.NotSupported), want: report.Passed, text: "passed: 1 passed, 1 not-supported"},
		"not-applicable specs do not fail the run":         {results: core(suite.NotApplicable, suite.Passed), want: report.Passed, text: "passed: 1 passed, 1 not-applicable"},
		"skipped specs do not fail the run":                {results: core(suite.Skipped, suite.Passed), want: report.Passed, text: "passed: 1 passed, 1 skipped"},
		"nothing ran":                                      {results: core(suite.NotSupported), want: report.NothingDecided, text: "undecided: 1 not-supported; nothing was tested"},
		"no specs":                                         {want: report.Incomplete, text: "incomplete"},
		"a spec without outcome":                           {results: core(suite.Passed, ""), want: report.Incomplete, text: "incomplete: 1 passed"},
		"a run that ended early":                           {results: core(suite.Passed), problem: errEnded, want: report.Incomplete, text: "incomplete: 1 passed"},
		"a run that never began":                           {problem: errEnded, want: report.Incomplete, text: "incomplete"},
		"a run that failed and then ended early":           {results: core(suite.Failed, suite.Skipped), problem: errEnded, want: report.Failed, text: "failed: 1 failed, 1 skipped; not conformant: p"},
		"a failure and a spec without outcome":             {results: core(suite.Failed, ""), want: report.Failed, text: "failed: 1 failed; not conformant: p"},
		"a scheduler that ended while a spec ran": {
			results: core(suite.Passed, suite.Failed, suite.Skipped), problem: endOf("kube-scheduler", true), want: report.Failed,
			text: "failed: 1 passed, 1 failed, 1 skipped; kube-scheduler has ended: exit status 2; not conformant: p",
		},
		"a scheduler that ended while a provisional spec ran": {
			results: slices.Concat(core(suite.Passed, suite.Skipped), provisional(suite.Failed)), problem: endOf("kube-scheduler", true), want: report.Failed,
			text: "failed: 1 passed, 1 skipped; provisional: 1 failed; kube-scheduler has ended: exit status 2",
		},
		"a scheduler that ended before the first spec": {problem: endOf("kube-scheduler", true), want: report.Failed, text: "failed: kube-scheduler has ended: exit status 2"},
		"an API server that ended": {
			results: core(suite.Passed, suite.Skipped), problem: endOf("kube-apiserver", false), want: report.Incomplete,
			text: "incomplete: 1 passed, 1 skipped; kube-apiserver has ended: exit status 2",
		},
		"a failure before the API server ended": {
			results: core(suite.Failed, suite.Skipped), problem: endOf("kube-apiserver", false), want: report.Failed,
			text: "failed: 1 failed, 1 skipped; kube-apiserver has ended: exit status 2; not conformant: p",
		},
		"everything at once": {
			results: core(suite.NotApplicable, suite.NotSupported, suite.Skipped, suite.Failed, suite.Passed, suite.Passed),
			want:    report.Failed, text: "failed: 2 passed, 1 failed, 1 skipped, 1 not-supported, 1 not-applicable; not conformant: p",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			v := report.NewVerdict(test.results, nil, test.problem)
			g.Expect(v.Result).To(Equal(test.want))
			g.Expect(v.String()).To(Equal(test.text))
			g.Expect(v.Rule).To(Equal(report.Rule))
			if test.problem != nil {
				g.Expect(v.Problem).To(HaveSuffix("the cluster went away"))
			} else {
				g.Expect(v.Problem).To(BeEmpty())
			}
		})
	}
}

// Provisional specs are listed apart.
func TestNewVerdictListsProvisionalSpecs(t *testing.T) {
	g := NewWithT(t)
	v := report.NewVerdict(slices.Concat(core(suite.Passed), provisional(suite.Passed, suite.Failed, suite.NotSupported, suite.Passed)), nil, nil)
	g.Expect(v.Provisional).To(Equal(&report.Provisional{Passed: []string{"p-provisional-0", "p-provisional-3"}, Failed: []string{"p-provisional-1"}}))
	g.Expect(v.Counts).To(Equal(map[suite.Outcome]int{suite.Passed: 1}))
	g.Expect(v.Profiles).To(HaveLen(1))
	g.Expect(v.Profiles[0].Counts).To(Equal(map[suite.Outcome]int{suite.Passed: 1}))
	g.Expect(report.NewVerdict(slices.Concat(core(suite.Passed), provisional(suite.Skipped)), nil, nil).Provisional).To(BeNil(), "none ran")
}
