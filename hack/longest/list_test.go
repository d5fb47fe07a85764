// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

func TestListOfLongestSpecs(t *testing.T) {
	spec := func(id string, outcome suite.Outcome, seconds float64) report.Spec {
		return report.Spec{ID: id, Outcome: outcome, Seconds: seconds}
	}
	reports := []report.Report{
		{Specs: []report.Spec{spec("b", suite.Passed, 20), spec("short", suite.Passed, 13.4), spec("hangs", suite.Failed, 120), spec("a", suite.Passed, 19.6)}},
		{Specs: []report.Spec{spec("b", suite.Passed, 14), spec("restarts", suite.Passed, 44.2)}},
	}
	NewWithT(t).Expect(list(reports)).To(Equal("44 restarts\n20 a\n20 b\n"))
}
