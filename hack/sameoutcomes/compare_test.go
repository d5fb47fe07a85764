// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// reportOf returns a report with the outcomes of specs.
func reportOf(scheduler string, specs ...report.Spec) report.Report {
	return report.Report{Cluster: report.Cluster{
		GateSet: "default", Scheduler: scheduler, Components: []report.Component{{Name: "kube-apiserver", Version: "v1.37.2", Count: 1}},
	}, Specs: specs}
}

func TestCompare(t *testing.T) {
	g := NewWithT(t)
	got, err := compare(
		reportOf("draconform",
			report.Spec{ID: "same", Outcome: suite.Passed}, report.Spec{ID: "same-failure", Outcome: suite.Failed, Reason: "one reason"},
			report.Spec{ID: "absent", Outcome: suite.NotSupported, Reason: "no feature"},
			report.Spec{ID: "containers", Outcome: suite.NotApplicable, Reason: "needs nodes that run containers; there are none"},
			report.Spec{ID: "metrics", Outcome: suite.Passed},
			report.Spec{ID: "blamed", Outcome: suite.Failed, Reason: "it was slow\nhere are details"},
			report.Spec{ID: "left-out", Outcome: suite.NotApplicable, Reason: "needs another node"},
			report.Spec{ID: "new", Outcome: suite.Passed},
			report.Spec{ID: "unselected", Outcome: suite.Passed}, report.Spec{ID: "interrupted", Outcome: suite.Passed},
		),
		reportOf("draconform",
			report.Spec{ID: "same", Outcome: suite.Passed}, report.Spec{ID: "same-failure", Outcome: suite.Failed, Reason: "another reason"},
			report.Spec{ID: "absent", Outcome: suite.NotSupported}, report.Spec{ID: "containers", Outcome: suite.Passed},
			report.Spec{ID: "metrics", Outcome: suite.NotApplicable, Reason: "needs to read the metrics of the control plane, which is only possible elsewhere"},
			report.Spec{ID: "blamed", Outcome: suite.Passed}, report.Spec{ID: "left-out", Outcome: suite.Passed},
			report.Spec{ID: "only-in-kind", Outcome: suite.Passed},
			report.Spec{ID: "unselected", Outcome: suite.Skipped, Reason: `excluded by the selection --labels "containers"`},
			report.Spec{ID: "interrupted", Outcome: suite.Skipped, Reason: "the run was interrupted"},
		),
	)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got).To(Equal(comparison{same: 3, run: 2, containers: 1, metrics: 1, unselected: 1, differences: []string{
		"blamed: failed (it was slow), in kind passed", "left-out: not-applicable (needs another node), in kind passed",
		"interrupted: passed, in kind skipped (the run was interrupted)",
	}}))
	_, err = compare(reportOf("draconform"), reportOf("kube-scheduler"))
	g.Expect(err).To(MatchError("the reports are of different clusters: Kubernetes v1.37.2, gates default, scheduler draconform; Kubernetes v1.37.2, gates default, scheduler kube-scheduler"))
}

// Reports without common results must not count as equal.
func TestCompareNothing(t *testing.T) {
	skipped := report.Spec{ID: "same", Outcome: suite.Skipped}
	_, err := compare(reportOf("draconform", skipped, report.Spec{ID: "new", Outcome: suite.Passed}), reportOf("draconform", skipped))
	NewWithT(t).Expect(err).To(MatchError("the reports have nothing to compare: no spec has run in both"))
}
