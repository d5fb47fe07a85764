// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
)

const small = `apiVersion: draconform.dev/v1alpha1
kind: Report
run: {id: a-run, started: "2026-03-01T12:00:00Z", duration: 1m15s, version: v1.0.0}
cluster: {provider: kind, name: c, workers: 1, components: []}
specs:
- {id: one, sentence: It behaves as specified., profile: p, judges: driver, features: [core], outcome: passed, seconds: 1}
- {id: two, sentence: It behaves as specified., profile: p, judges: driver, features: [core], outcome: passed, seconds: 1}
verdict: {result: passed, counts: {passed: 2}, profiles: [{name: p, claimed: true, result: conformant, counts: {passed: 2}}], rule: The rule.}
`

// Reports that are only partly understood are rejected.
func TestReadErrors(t *testing.T) {
	for name, test := range map[string]struct{ from, to, want string }{
		"another kind":           {"kind: Report", "kind: Pod", `has kind "Pod" of version "draconform.dev/v1alpha1", not "Report" of "draconform.dev/v1alpha1"`},
		"another version":        {"v1alpha1", "v2", `has kind "Report" of version "draconform.dev/v2", not`},
		"no kind":                {"kind: Report\n", "", `has kind "" of version`},
		"an unknown field":       {"workers: 1", "workers: 1, masters: 1", `unknown field "masters"`},
		"an unknown outcome":     {"outcome: passed, seconds: 1}\nv", "outcome: waived, seconds: 1}\nv", `spec two has the unknown outcome "waived"`},
		"a failure that passes":  {"outcome: passed, seconds: 1}\nv", "outcome: failed, seconds: 1}\nv", `the verdict is "passed", and spec two is "failed"`},
		"a gap that passes":      {"outcome: passed, seconds: 1}\nv", "outcome: '', seconds: 1}\nv", `the verdict is "passed", and spec two is ""`},
		"an unknown verdict":     {"result: passed", "result: excellent", `unknown verdict "excellent"`},
		"an unknown conformance": {"result: conformant", "result: good", `profile p has the unknown result "good"`},
		"a profile that is not conformant and passes": {"result: conformant", "result: not-conformant", `the verdict is "passed", and profile p is "not-conformant"`},
		"an unknown level":                            {"profile: p, judges", "profile: p, level: optional, judges", `spec one has the unknown level "optional"`},
		"a core spec that is missing":                 {"profile: p, judges: driver, features: [core], outcome: passed, seconds: 1}\nv", "profile: p, level: core, judges: driver, features: [core], outcome: not-applicable, seconds: 1}\nv", `profile p is conformant, and its core spec two is "not-applicable"`},
		"an extended failure that passes":             {"profile: p, judges: driver, features: [core], outcome: passed, seconds: 1}\nv", "profile: p, level: extended, judges: driver, features: [core], outcome: failed, seconds: 1}\nv", `the verdict is "passed", and spec two is "failed"`},
		"a provisional spec twice":                    {"id: two, sentence: It behaves as specified., profile: p", "id: one, sentence: It behaves as specified., profile: p, level: provisional", "duplicate spec one"},
		"a pass that decides nothing":                 {"verdict: {result: passed", "verdict: {result: undecided", `the verdict is "undecided", and spec one is "passed"`},
		"a failure that decides nothing":              {small[strings.Index(small, "passed, seconds"):], "failed, seconds: 1}\nverdict: {result: undecided, counts: {failed: 1}, rule: The rule.}\n", `the verdict is "undecided", and spec one is "failed"`},
		"no verdict":                                  {"result: passed, ", "", `unknown verdict ""`},
		"no run":                                      {"id: a-run, ", "", "the run has no id"},
		"a spec twice":                                {"id: two", "id: one", "duplicate spec one"},
		"a path for an id":                            {"id: two", "id: ../two", `"../two" is not a valid spec id`},
		"a key twice":                                 {"kind: Report", "kind: Report\nkind: Report", `key "kind" already set in map`},
		"no YAML":                                     {"kind: Report", "kind: [", "is not a report of a run: "},
		"a list":                                      {small, "[]", "is not a report of a run: "},
		"nothing":                                     {small, "", `has kind "" of version ""`},
		"a duration in words":                         {"1m15s", "long", "read the report "},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := filepath.Join(t.TempDir(), "report.yaml")
			g.Expect(strings.Contains(small, test.from)).To(BeTrue())
			g.Expect(os.WriteFile(path, []byte(small), 0o600)).To(Succeed())
			_, err := report.Read(path)
			g.Expect(err).NotTo(HaveOccurred(), "the valid report")
			g.Expect(os.WriteFile(path, []byte(strings.Replace(small, test.from, test.to, 1)), 0o600)).To(Succeed())
			read, err := report.Read(path)
			g.Expect(err).To(MatchError(And(ContainSubstring(test.want), ContainSubstring(path))))
			g.Expect(read).To(BeZero())
		})
	}
}

func TestReadMissingFiles(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, err := report.Read(dir)
	g.Expect(err).To(MatchError(And(HavePrefix("read the report of a run: "), ContainSubstring(filepath.Join(dir, "report.yaml")))))
	g.Expect(err).To(MatchError(os.ErrNotExist))
	_, err = report.Read(filepath.Join(dir, "nowhere"))
	g.Expect(err).To(MatchError(os.ErrNotExist))
}

// Older reports, without start times and steps of specs, can be read.
func TestReadOlder(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "old.yaml")
	g.Expect(os.WriteFile(path, []byte(small), 0o600)).To(Succeed())
	r, err := report.Read(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Specs[0].After).To(BeNil())
	g.Expect(r.Specs[0].Steps).To(BeEmpty())
}

// A provisional spec may fail in a run that passed.
func TestReadProvisional(t *testing.T) {
	g := NewWithT(t)
	path := filepath.Join(t.TempDir(), "report.yaml")
	provisional := strings.Replace(small, "profile: p, judges: driver, features: [core], outcome: passed, seconds: 1}\nv", "profile: p, level: provisional, judges: driver, features: [core], outcome: failed, seconds: 1}\nv", 1)
	g.Expect(os.WriteFile(path, []byte(provisional), 0o600)).To(Succeed())
	r, err := report.Read(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Specs[0].Provisional()).To(BeFalse())
	g.Expect(r.Specs[1].Provisional()).To(BeTrue())
}
