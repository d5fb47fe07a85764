// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func results(outcomes ...suite.Outcome) []suite.Result {
	all := make([]suite.Result, 0, len(outcomes))
	for _, o := range outcomes {
		all = append(all, suite.Result{Spec: suite.Spec{Profile: "p"}, Outcome: o})
	}
	return all
}

// The rule of the verdict, case by case.
func TestNewVerdict(t *testing.T) {
	ended := errors.New("the cluster went away")
	for name, test := range map[string]struct {
		results []suite.Result
		problem error
		want    report.Result
		text    string
	}{
		"all passed": {results: results(suite.Passed, suite.Passed), want: report.Passed, text: "passed: 2 passed"},
		"one failed": {results: results(suite.Passed, suite.Failed), want: report.Failed, text: "failed: 1 passed, 1 failed; not conformant: p"},
		"not-supported specs do not fail the run":  {results: results(suite.Passed, suite.NotSupported), want: report.Passed, text: "passed: 1 passed, 1 not-supported"},
		"not-applicable specs do not fail the run": {results: results(suite.NotApplicable, suite.Passed), want: report.Passed, text: "passed: 1 passed, 1 not-applicable"},
		"skipped specs do not fail the run":        {results: results(suite.Skipped, suite.Passed), want: report.Passed, text: "passed: 1 passed, 1 skipped"},
		"no specs":                                 {want: report.Incomplete, text: "incomplete"},
		"a spec without outcome":                   {results: results(suite.Passed, ""), want: report.Incomplete, text: "incomplete: 1 passed"},
		"a run that ended early":                   {results: results(suite.Passed), problem: ended, want: report.Incomplete, text: "incomplete: 1 passed"},
		"a run that never began":                   {problem: ended, want: report.Incomplete, text: "incomplete"},
		"a run that failed and then ended early":   {results: results(suite.Failed, suite.Skipped), problem: ended, want: report.Failed, text: "failed: 1 failed, 1 skipped; not conformant: p"},
		"a failure and a spec without outcome":     {results: results(suite.Failed, ""), want: report.Failed, text: "failed: 1 failed; not conformant: p"},
		"everything at once": {
			results: results(suite.NotApplicable, suite.NotSupported, suite.Skipped, suite.Failed, suite.Passed, suite.Passed),
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
				g.Expect(v.Problem).To(Equal("the cluster went away"))
			} else {
				g.Expect(v.Problem).To(BeEmpty())
			}
		})
	}
}

// of returns the results of the specs of a profile.
func of(profile string, outcomes ...suite.Outcome) []suite.Result {
	all := results(outcomes...)
	for i := range all {
		all[i].Spec.Profile = profile
	}
	return all
}

func TestNewVerdictProfiles(t *testing.T) {
	ended := errors.New("the cluster went away")
	for name, test := range map[string]struct {
		results []suite.Result
		claims  []string
		problem error
		want    report.Conformance
		text    string
		verdict report.Result
	}{
		"all passed":                            {results: of("p", suite.Passed, suite.Passed), claims: []string{"p"}, want: report.Conformant, text: "conformant: 2 passed", verdict: report.Passed},
		"some cannot be run":                    {results: of("p", suite.Passed, suite.NotSupported, suite.NotApplicable), claims: []string{"p"}, want: report.Conformant, text: "conformant: 1 passed, 1 not-supported, 1 not-applicable", verdict: report.Passed},
		"none can be run":                       {results: of("p", suite.NotSupported, suite.NotApplicable), claims: []string{"p"}, want: report.Undecided, text: "undecided, as no spec could run in this cluster: 1 not-supported, 1 not-applicable", verdict: report.Passed},
		"one failed":                            {results: of("p", suite.Passed, suite.Failed), claims: []string{"p"}, want: report.NotConformant, text: "not-conformant, as 1 of 2 specs failed: 1 passed, 1 failed", verdict: report.Failed},
		"one failed, not claimed":               {results: of("p", suite.Passed, suite.Failed), want: report.NotConformant, text: "not-conformant, as 1 of 2 specs failed, not claimed: 1 passed, 1 failed", verdict: report.Failed},
		"skipped of a claimed profile":          {results: of("p", suite.Passed, suite.Skipped), claims: []string{"p"}, want: report.NotConformant, text: "not-conformant, as 1 of 2 specs were not completed: 1 passed, 1 skipped", verdict: report.Failed},
		"skipped, not claimed":                  {results: of("p", suite.Passed, suite.Skipped), claims: []string{"q"}, want: report.Undecided, text: "undecided, as 1 of 2 specs were not completed, not claimed: 1 passed, 1 skipped", verdict: report.Passed},
		"all passed, not claimed":               {results: of("p", suite.Passed), want: report.Conformant, text: "conformant, not claimed: 1 passed", verdict: report.Passed},
		"the run was interrupted":               {results: of("p", suite.Passed, suite.Skipped), claims: []string{"p"}, problem: ended, want: report.Undecided, text: "undecided, as 1 of 2 specs were not completed: 1 passed, 1 skipped", verdict: report.Incomplete},
		"a spec has no outcome":                 {results: of("p", suite.Passed, ""), claims: []string{"p"}, want: report.Undecided, text: "undecided, as 1 of 2 specs were not completed: 1 passed", verdict: report.Incomplete},
		"another profile has failures":          {results: append(of("p", suite.Passed), of("q", suite.Failed)...), claims: []string{"p"}, want: report.Conformant, text: "conformant: 1 passed", verdict: report.Failed},
		"ended by a failure of another profile": {results: append(of("p", suite.Passed, suite.Skipped), of("q", suite.Failed)...), claims: []string{"p"}, want: report.NotConformant, text: "not-conformant, as 1 of 2 specs were not completed: 1 passed, 1 skipped", verdict: report.Failed},
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

func TestWrite(t *testing.T) {
	g := NewWithT(t)
	started := metav1.NewTime(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	after := func(d time.Duration) time.Time { return started.Add(d) }
	all := []suite.Result{
		{
			Spec: spec("partition-a", features.Core, features.Partitions), Outcome: suite.Passed,
			Started: after(50 * time.Second), Duration: 1234 * time.Millisecond,
			Steps: []suite.Step{{Started: after(50 * time.Second), Text: "creating"}, {Started: after(50600 * time.Millisecond), Text: "waiting"}},
		},
		{Spec: spec("partition-b", features.Core), Outcome: suite.Failed, Reason: "while waiting: two\nlines", Started: after(52 * time.Second), Duration: 40 * time.Millisecond},
		{Spec: spec("partition-c", features.Core), Outcome: suite.Skipped, Reason: "left out"},
	}
	r := report.Report{
		Run: report.Run{ID: "20260301-120000-0a1f", Started: started, Duration: metav1.Duration{Duration: 75 * time.Second}, Version: "(devel)", Selection: `--labels "driver"`},
		Cluster: report.Cluster{
			Provider: "kind", Name: "draconform-0a1f", Workers: 4, GateSet: "alpha", Gates: map[string]bool{"DRAAdminAccess": true, "DRADeviceTaints": false},
			Components: []report.Component{{Name: "kube-apiserver", Version: "v1.37.1", Count: 1}, {Name: "kubelet", Version: "v1.37.1", Count: 5}},
		},
		Subject: report.Subject{Drivers: []string{"gpu.example.com", "nic.example.com"}, Implementations: []report.Implementation{
			{Driver: "gpu.example.com", Mode: "default", Organization: "Example", Project: "gpu-driver", URL: "https://example.com", Version: "v1.2.3", Contact: []string{"@example/gpu"}},
			{Driver: "nic.example.com", Mode: "default"},
		}},
		Features: features.Set{features.Core: {Present: true, Source: "served"}, features.Partitions: {Source: "dropped"}},
		Specs:    report.Specs(all, started.Time),
		Verdict:  report.NewVerdict(all, []string{"partitioning"}, nil),
	}
	dir := t.TempDir()
	path, err := r.Write(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(path).To(Equal(filepath.Join(dir, "report.yaml")))
	got, err := os.ReadFile(path)
	g.Expect(err).NotTo(HaveOccurred())
	golden := filepath.Join("testdata", "report.yaml")
	if *update {
		g.Expect(os.WriteFile(golden, got, 0o644)).To(Succeed())
	}
	want, err := os.ReadFile(golden)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(got)).To(Equal(string(want)), "if the change is intended: go test ./e2e/report -update")

	read, err := report.Read(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Kind).To(Equal(report.Kind))
	g.Expect(read.Specs).To(Equal(r.Specs))
	g.Expect(read.Specs[0].Steps).To(Equal([]report.Step{{After: 0, Text: "creating"}, {After: 0.6, Text: "waiting"}}))
	g.Expect(read.Specs[0].After).To(HaveValue(Equal(50.0)))
	g.Expect(read.Specs[2].After).To(BeNil(), "it did not run")
}

func TestWriteErrors(t *testing.T) {
	_, err := report.Report{}.Write(filepath.Join(t.TempDir(), "missing"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("write the report: ")))
}

func spec(id string, needs ...features.Feature) suite.Spec {
	return suite.Spec{ID: id, Description: "It behaves as specified.", Profile: "partitioning", Component: env.Scheduler, Features: needs}
}

func TestReportScheduler(t *testing.T) {
	for name, test := range map[string]struct {
		requested string
		features  features.Set
		want      string
	}{
		"ours":                          {"draconform", features.Set{features.SharingAffinity: {Present: true}}, "draconform"},
		"ours, as a second scheduler":   {"kube-scheduler", features.Set{features.SharingAffinity: {Present: true}}, "draconform"},
		"ours, in an existing cluster":  {"", features.Set{features.SharingAffinity: {Present: true}}, "draconform"},
		"the release's own":             {"kube-scheduler", features.Set{features.SharingAffinity: {}}, "kube-scheduler"},
		"another in addition to ours":   {"draconform", features.Set{features.SharingAffinity: {}}, ""},
		"unknown":                       {"", features.Set{features.SharingAffinity: {}}, ""},
		"before features were detected": {"draconform", nil, "draconform"},
	} {
		r := report.Report{Cluster: report.Cluster{Scheduler: test.requested}, Features: test.features}
		NewWithT(t).Expect(r.Scheduler()).To(Equal(test.want), name)
	}
}
