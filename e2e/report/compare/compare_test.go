// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package compare_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/suite"
)

func run(suffix string, specs ...report.Spec) report.Report {
	return report.Report{
		Run: report.Run{ID: "20260301-120000-" + suffix, Version: "v1.0.0"},
		Cluster: report.Cluster{
			Provider: "kind", Name: "draconform-" + suffix, Workers: 4, Scheduler: "kube-scheduler", Gates: map[string]bool{"DRAAdminAccess": true, "DRADeviceTaints": false},
			Components: []report.Component{{Name: "kube-scheduler", Version: "v1.37.1", Count: 1}, {Name: "kubelet", Version: "v1.37.1", Count: 5}},
		},
		Subject:  report.Subject{Drivers: []string{"mig-" + suffix + ".draconform.dev"}, Installed: true},
		Features: features.Set{features.Core: {Present: true}},
		Specs:    specs,
		Verdict:  report.Verdict{Result: report.Passed},
	}
}

func spec(id string, o suite.Outcome, seconds float64) report.Spec {
	return report.Spec{ID: id, Outcome: o, Seconds: seconds, Reason: "because of " + id}
}

func ids(specs []compare.Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.Now.ID)
	}
	return all
}

// Generated names and small differences of times are not reported.
func TestRunsWithoutDifferences(t *testing.T) {
	g := NewWithT(t)
	c := compare.Runs(run("aaaa", spec("one", suite.Passed, 10)), run("bbbb", spec("one", suite.Passed, 12)))
	g.Expect(c.Outcomes).To(BeEmpty())
	g.Expect(c.Times).To(BeEmpty())
	g.Expect(c.New).To(BeEmpty())
	g.Expect(c.Removed).To(BeEmpty())
	g.Expect(c.Environment).To(BeEmpty())
	g.Expect(c.Regressions()).To(BeEmpty())
	text := written(t, c)
	g.Expect(text).To(HaveSuffix("\nno outcome has changed\n"))
	g.Expect(text).NotTo(ContainSubstring("Environment"))
}

func TestOutcomes(t *testing.T) {
	outcomes := []suite.Outcome{suite.Passed, suite.Failed, suite.Skipped, suite.NotSupported, suite.NotApplicable, ""}
	for _, before := range outcomes {
		for _, now := range outcomes {
			t.Run(string(before)+" to "+string(now), func(t *testing.T) {
				g := NewWithT(t)
				c := compare.Runs(run("aaaa", spec("one", before, 1)), run("bbbb", spec("one", now, 1)))
				g.Expect(c.Outcomes).To(HaveLen(map[bool]int{true: 0, false: 1}[before == now]))
				regression := before == suite.Passed && now == suite.Failed
				g.Expect(c.Regressions()).To(HaveLen(map[bool]int{true: 1, false: 0}[regression]), "only a spec that passed before and fails now is a regression")
				text := written(t, c)
				if regression {
					g.Expect(text).To(ContainSubstring("one passed before and fails now:\n  because of one\n"))
					g.Expect(text).To(HaveSuffix("\n1 of 1 specs passed before and fail now\n"))
				}
				if before != now && (before == "" || now == "") {
					g.Expect(text).To(ContainSubstring("no outcome"))
				}
			})
		}
	}
}

// A provisional spec that fails does not fail the comparison.
func TestProvisionalSpecsAreNoRegressions(t *testing.T) {
	g := NewWithT(t)
	now := spec("one", suite.Failed, 1)
	now.Level = suite.Provisional.String()
	c := compare.Runs(run("aaaa", spec("one", suite.Passed, 1)), run("bbbb", now))
	g.Expect(c.Outcomes).To(HaveLen(1))
	g.Expect(c.Regressions()).To(BeEmpty())
	text := written(t, c)
	g.Expect(text).To(MatchRegexp(`(?m)^  one +passed +failed \(provisional\)$`))
	g.Expect(text).To(HaveSuffix("\nno spec that passed before fails now\n"))
}

func TestNewAndRemovedSpecs(t *testing.T) {
	g := NewWithT(t)
	c := compare.Runs(
		run("aaaa", spec("old", suite.Passed, 1), spec("both", suite.Passed, 1)),
		run("bbbb", spec("both", suite.Passed, 1), spec("new", suite.Failed, 1)))
	g.Expect(c.New).To(ConsistOf(HaveField("ID", "new")))
	g.Expect(c.Removed).To(ConsistOf(HaveField("ID", "old")))
	g.Expect(c.Regressions()).To(BeEmpty(), "a new spec is no regression")
	text := written(t, c)
	g.Expect(text).To(MatchRegexp(`New specs:\n  SPEC +OUTCOME\n  new +failed\n`))
	g.Expect(text).To(MatchRegexp(`Removed specs:\n  SPEC +OUTCOME\n  old +passed\n`))
	g.Expect(text).To(HaveSuffix("\nno spec that passed before fails now\n"))
}

func TestChangedTimes(t *testing.T) {
	for name, test := range map[string]struct {
		before, now float64
		outcome     suite.Outcome
		want        bool
	}{
		"twice as long":                  {before: 10, now: 20, outcome: suite.Passed, want: true},
		"half as long":                   {before: 20, now: 10, outcome: suite.Passed, want: true},
		"just enough":                    {before: 10, now: 15, outcome: suite.Passed, want: true},
		"a large factor of little":       {before: 0.5, now: 5.4, outcome: suite.Passed},
		"a small factor of much":         {before: 100, now: 149, outcome: suite.Passed},
		"a failure, which waits":         {before: 10, now: 60, outcome: suite.Failed},
		"from nothing, what did not run": {before: 0, now: 0, outcome: suite.Skipped},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := compare.Runs(run("aaaa", spec("one", test.outcome, test.before)), run("bbbb", spec("one", test.outcome, test.now)))
			if test.want {
				g.Expect(ids(c.Times)).To(Equal([]string{"one"}))
				g.Expect(written(t, c)).To(ContainSubstring("Times that differ by a factor of at least 1.5 and at least 5 seconds:\n"))
			} else {
				g.Expect(c.Times).To(BeEmpty())
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	g := NewWithT(t)
	before, now := run("aaaa"), run("bbbb")
	now.Run.Version = "v1.1.0"
	now.Cluster.Workers = 2
	now.Cluster.Scheduler = "draconform"
	now.Cluster.Gates = map[string]bool{"DRAAdminAccess": false, "DRANew": true}
	now.Cluster.Components = []report.Component{{Name: "kube-scheduler", Version: "v1.37.1", Image: "own:v1.37.1", Emulates: "1.36"}, {Name: "kubelet", Version: "v1.37.1"}, {Name: "kubelet", Version: "v1.36.3"}}
	now.Features = features.Set{features.Core: {Present: true}, features.Partitions: {}}
	now.Subject.Drivers = append(now.Subject.Drivers, "nic-bbbb.draconform.dev")
	c := compare.Runs(before, now)
	g.Expect(c.Environment).To(Equal([]compare.Difference{
		{"component kube-scheduler", "v1.37.1", "v1.37.1, emulates 1.36, image own:v1.37.1"},
		{"component kubelet", "v1.37.1", "v1.36.3; v1.37.1"},
		{"draconform", "v1.0.0", "v1.1.0"},
		{"drivers", "mig.draconform.dev", "mig.draconform.dev, nic.draconform.dev"},
		{"feature partitionable-devices", "", "absent"},
		{"gate DRAAdminAccess", "on", "off"},
		{"gate DRADeviceTaints", "off", ""},
		{"gate DRANew", "", "on"},
		{"scheduler", "kube-scheduler", "draconform"},
		{"workers", "4", "2"},
	}))
	g.Expect(written(t, c)).To(MatchRegexp(`(?m)^  gate DRADeviceTaints +off +-$`))
}

// The name of a vendor's driver is kept even if it looks like that of a fake
// driver.
func TestNamesOfOtherDriversAreUnchanged(t *testing.T) {
	g := NewWithT(t)
	before, now := run("aaaa"), run("bbbb")
	before.Subject = report.Subject{Drivers: []string{"gpu-aaaa.example.com"}}
	now.Subject = report.Subject{Drivers: []string{"gpu.example.com"}}
	g.Expect(compare.Runs(before, now).Environment).To(Equal([]compare.Difference{{"drivers", "gpu-aaaa.example.com", "gpu.example.com"}}))
}

func written(t *testing.T, c compare.Comparison) string {
	t.Helper()
	var b strings.Builder
	NewWithT(t).Expect(c.Text(&b)).To(Succeed())
	return b.String()
}
