// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

const fewExpected = `
gates: {"1.34": DRAPartitionableDevices=true}
passed: [{id: good}, {id: new, since: "1.36"}, {id: bad}]
failed: [{id: bad, releases: ["1.37"], because: it forgets claims, says: "prepared \\d"}]
`

var someSpecs = []suite.Spec{{ID: "good"}, {ID: "new"}, {ID: "bad"}, {ID: "other"}}

func readText(t *testing.T, text string) (expected, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "expected.yaml")
	NewWithT(t).Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	return readExpected(path, someSpecs)
}

func release(t *testing.T, minor string) clusters.Release {
	t.Helper()
	r, err := clusters.FindRelease(minor)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return r
}

func TestReadExpectedErrors(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"unknown field":   {"passd: []", `unknown field "passd"`},
		"unknown spec":    {"passed: [{id: gone}]", `there is no spec "gone"`},
		"twice":           {"passed: [{id: good}, {id: good, since: \"1.36\"}]", "good is expected to pass twice"},
		"unknown release": {"passed: [{id: good, since: \"1.12\"}]", `good: "1.12" is not a supported release`},
		"unknown gates":   {"gates: {\"1.12\": alpha}", `gates: "1.12" is not a supported release`},
		"no cause":        {"failed: [{id: bad, says: a}]", "bad: a spec that fails needs because and says"},
		"no expression":   {"failed: [{id: bad, because: a, says: '('}]", "bad: read says: error parsing regexp"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readText(t, test.text)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestSpecsOfNewerReleasesAreNotExpectedBefore(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "expected.yaml")
	g.Expect(os.WriteFile(path, []byte("passed: [{id: recent}, {id: later, since: \"1.37\"}]"), 0o600)).To(Succeed())
	e, err := readExpected(path, []suite.Spec{{ID: "recent", Since: "1.36"}, {ID: "later", Since: "1.35"}})
	g.Expect(err).NotTo(HaveOccurred())
	for minor, want := range map[string][]bool{"1.35": {false, false}, "1.36": {true, false}, "1.37": {true, true}} {
		g.Expect([]bool{e.passes("recent", release(t, minor)), e.passes("later", release(t, minor))}).To(Equal(want), minor)
	}
}

func TestGatesOfARelease(t *testing.T) {
	g := NewWithT(t)
	e, err := readText(t, fewExpected)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(e.gatesOf(release(t, "1.34"))).To(Equal("DRAPartitionableDevices=true"))
	g.Expect(e.gatesOf(release(t, "1.37"))).To(BeEmpty())
}

func TestCompare(t *testing.T) {
	asExpected := []report.Spec{
		{ID: "good", Outcome: suite.Passed}, {ID: "new", Outcome: suite.Passed},
		{ID: "bad", Outcome: suite.Failed, Reason: "claim prepared 2 times"}, {ID: "other", Outcome: suite.NotApplicable},
	}
	// with returns the expected outcomes with another outcome of one spec.
	with := func(changed report.Spec) []report.Spec {
		all := append([]report.Spec{}, asExpected...)
		for i := range all {
			if all[i].ID == changed.ID {
				all[i] = changed
			}
		}
		return all
	}
	for name, test := range map[string]struct {
		minor string
		got   []report.Spec
		some  bool
		want  string // the difference; empty if there is none
	}{
		"as expected":             {"1.37", asExpected, false, ""},
		"failed":                  {"1.37", with(report.Spec{ID: "good", Outcome: suite.Failed, Reason: "why"}), false, "good: failed: why"},
		"not run":                 {"1.37", with(report.Spec{ID: "good", Outcome: suite.NotApplicable, Reason: "why"}), false, "good: should pass, but is not-applicable: why"},
		"passed and is no longer": {"1.37", with(report.Spec{ID: "bad", Outcome: suite.Passed}), false, "bad: should fail because it forgets claims, but is passed"},
		"another reason":          {"1.37", with(report.Spec{ID: "bad", Outcome: suite.Failed, Reason: "why"}), false, `bad: should fail with a reason that matches "prepared \\d", but: why`},
		"not listed":              {"1.37", with(report.Spec{ID: "other", Outcome: suite.Passed}), false, "other: passed, and is not expected to"},
		"not in the report":       {"1.37", asExpected[:2], false, "bad: should fail, but the report does not have it"},
		"empty report":            {"1.37", nil, false, "good: should pass, but the report does not have it"},
		"before its release":      {"1.35", with(report.Spec{ID: "bad", Outcome: suite.Passed}), false, "new: passed, and is not expected to"},
		"fails in other releases": {"1.36", asExpected, false, "bad: failed: claim prepared 2 times"},
		"skipped":                 {"1.37", with(report.Spec{ID: "good", Outcome: suite.Skipped}), false, "good: should pass, but is skipped"},
		"skipped in a selection":  {"1.37", with(report.Spec{ID: "good", Outcome: suite.Skipped}), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e, err := readText(t, fewExpected)
			g.Expect(err).NotTo(HaveOccurred())
			var out bytes.Buffer
			err = e.compare(&out, release(t, test.minor), report.Report{Specs: test.got}, test.some)
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(out.String()).NotTo(ContainSubstring("differences"))
				return
			}
			g.Expect(err).To(MatchError(errUnexpected))
			g.Expect(out.String()).To(ContainSubstring("\n  " + test.want))
		})
	}
}

func TestComparePrintsWhyItIsRightToFail(t *testing.T) {
	g := NewWithT(t)
	e, err := readText(t, fewExpected)
	g.Expect(err).NotTo(HaveOccurred())
	var out bytes.Buffer
	g.Expect(e.compare(&out, release(t, "1.37"), report.Report{Specs: []report.Spec{
		{ID: "good", Outcome: suite.Passed}, {ID: "new", Outcome: suite.Passed}, {ID: "bad", Outcome: suite.Failed, Reason: "prepared 2"},
	}}, false)).To(Succeed())
	g.Expect(out.String()).To(Equal("bad  failed as expected  it forgets claims\n" +
		"Kubernetes " + release(t, "1.37").Version + ": 2 specs passed, 1 failed, 0 are not-applicable, 0 not-supported, 0 skipped\n"))
}

func TestSpecsPassSinceOrUntilARelease(t *testing.T) {
	g := NewWithT(t)
	e, err := readText(t, `passed: [{id: new, since: "1.36"}, {id: good, until: "1.35"}]`)
	g.Expect(err).NotTo(HaveOccurred())
	for minor, isNew := range map[string]bool{"1.34": false, "1.35": false, "1.36": true, "1.37": true} {
		g.Expect(e.passes("new", release(t, minor))).To(Equal(isNew), minor)
		g.Expect(e.passes("good", release(t, minor))).To(Equal(!isNew), minor)
	}
}
