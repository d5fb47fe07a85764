// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
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
		{Spec: spec("partition-d", features.Core), Outcome: suite.NotApplicable, Reason: "needs 9 worker nodes, the cluster has 4"},
		{Spec: spec("partition-e", features.Core), Outcome: suite.Failed, Reason: "it is not so", Started: after(53 * time.Second), Duration: time.Second, FailedAt: after(53700 * time.Millisecond), Namespace: "draconform-0a1f-3"},
	}
	all[3].Spec.Level, all[4].Spec.Level = suite.Extended, suite.Provisional
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
	g.Expect(read.Specs[4].Failure).To(Equal(&report.Failure{After: 0.7, Namespace: "draconform-0a1f-3"}), "since the start of the spec")
}

func TestWriteErrors(t *testing.T) {
	_, err := report.Report{}.Write(filepath.Join(t.TempDir(), "missing"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("write the report: ")))
}

func spec(id string, needs ...features.Feature) suite.Spec {
	return suite.Spec{ID: id, Description: "It behaves as specified.", Profile: "partitioning", Level: suite.Core, Component: env.Scheduler, Features: needs}
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
