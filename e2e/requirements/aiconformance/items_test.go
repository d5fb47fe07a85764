// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package aiconformance

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

// A misspelt id of a spec would leave its item not-run forever.
func TestSpecsOfItemsExist(t *testing.T) {
	known := map[string]bool{}
	for _, s := range specs.All() {
		known[s.ID] = true
	}
	for _, item := range Items() {
		for _, id := range item.Specs() {
			NewWithT(t).Expect(known).To(HaveKey(id), "spec of item %s", item.ID)
		}
	}
}

// The levels are those of the published checklists.
func TestLevelIn(t *testing.T) {
	levels := func(release string) map[string]requirements.Level {
		found := map[string]requirements.Level{}
		for _, item := range Items() {
			if level, ok := item.LevelIn(release); ok {
				found[item.ID] = level
			}
		}
		return found
	}
	const must, should = requirements.Must, requirements.Should
	for release, want := range map[string]map[string]requirements.Level{
		"v1.33.2":        {},
		"v1.34.4":        {"dra_support": must, "secure_accelerator_access": must, "driver_runtime_management": should, "gpu_sharing": should},
		"v1.35.0-eks-1":  {"dra_support": must, "secure_accelerator_access": must, "driver_runtime_management": should, "gpu_sharing": should},
		"v1.36.3":        {"secure_accelerator_access": must, "driver_runtime_management": should, "gpu_sharing": should},
		"v1.37.2":        {"secure_accelerator_access": must, "driver_runtime_management": should, "gpu_sharing": should},
		"v1.38.0-beta.1": {"secure_accelerator_access": must, "driver_runtime_management": must, "gpu_sharing": should},
		"":               {},
	} {
		NewWithT(t).Expect(levels(release)).To(Equal(want), release)
	}
}

const valid = `- {id: a, statement: It holds., levels: [{from: "1.34", until: "1.35", level: must}], proofs: [{specs: [one]}]}
- {id: b, statement: It holds., levels: [{from: "1.34", level: should}], gap: no spec}
`

func TestParse(t *testing.T) {
	all, err := parse([]byte(valid))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(all).To(HaveLen(2))
	for name, test := range map[string]struct{ from, to, want string }{
		"an unknown field":   {"gap:", "gaps:", `unknown field "gaps"`},
		"no level":           {`{from: "1.34", level: should}`, "", `item "b": needs an id, a statement and a level`},
		"an unknown level":   {"level: should", "level: may", `level "may" is not known`},
		"an unknown release": {`from: "1.34", level`, `from: next, level`, `releases from "next" until "" are not valid`},
		"the wrong order":    {`until: "1.35"`, `until: "1.9"`, `releases from "1.34" until "1.9" are not valid`},
		"neither":            {", gap: no spec", "", "needs a proof, or the gap"},
		"no specs":           {"specs: [one]", "specs: []", "a proof needs specs"},
		"no strategies":      {"{specs: [one]}", "{specs: [one]}, {specs: [two]}", "needs a strategy"},
		"a duplicate":        {"id: b", "id: a", "duplicate item a"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(valid).To(ContainSubstring(test.from))
			_, err := parse([]byte(strings.Replace(valid, test.from, test.to, 1)))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestEvaluate(t *testing.T) {
	level := []Level{{From: "1.34", Level: requirements.Must}}
	one := Item{ID: "one", Levels: level, Proofs: []Proof{{Specs: []string{"a", "b"}}}}
	open := Item{ID: "open", Levels: level, Proofs: []Proof{{Specs: []string{"a"}}}, Gap: "no spec checks more"}
	two := Item{ID: "two", Levels: level, Proofs: []Proof{{Strategy: "parts", Specs: []string{"a", "b"}}, {Strategy: "shares", Specs: []string{"c"}}}}
	type outcomes = map[string]suite.Outcome
	for name, test := range map[string]struct {
		item     Item
		outcomes outcomes
		want     requirements.Outcome
		reason   string
	}{
		"all passed":                     {one, outcomes{"a": suite.Passed, "b": suite.Passed}, requirements.Proved, ""},
		"some passed":                    {one, outcomes{"a": suite.Passed, "b": suite.NotSupported}, requirements.NotRun, "b is not-supported"},
		"one left out":                   {one, outcomes{"a": suite.Passed}, requirements.NotRun, "b is not part of the run"},
		"one failed":                     {one, outcomes{"a": suite.Passed, "b": suite.Failed}, requirements.Failed, "b"},
		"all passed, with a gap":         {open, outcomes{"a": suite.Passed}, requirements.NotRun, "no spec checks more"},
		"one failed, with a gap":         {open, outcomes{"a": suite.Failed}, requirements.Failed, "a"},
		"one of two strategies":          {two, outcomes{"a": suite.NotSupported, "b": suite.NotSupported, "c": suite.Passed}, requirements.Proved, "by shares"},
		"both strategies":                {two, outcomes{"a": suite.Passed, "b": suite.Passed, "c": suite.Passed}, requirements.Proved, "by parts, shares"},
		"one strategy proved, one fails": {two, outcomes{"a": suite.Passed, "b": suite.Failed, "c": suite.Passed}, requirements.Failed, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			results := Evaluate([]Item{test.item}, "v1.37.1", test.outcomes)
			g.Expect(results).To(HaveLen(1))
			g.Expect(results[0].Outcome).To(Equal(test.want))
			g.Expect(results[0].Reason).To(Equal(test.reason))
			g.Expect(results[0].Level).To(Equal(requirements.Must))
		})
	}
	g := NewWithT(t)
	g.Expect(Evaluate([]Item{one}, "v1.37.1", outcomes{"other": suite.Passed, "a": suite.Skipped})).To(BeEmpty(), "none of its specs ran")
	g.Expect(Evaluate([]Item{one}, "", outcomes{"a": suite.Passed})).To(BeEmpty(), "the release is unknown")
	g.Expect(Evaluate([]Item{one}, "v1.33.0", outcomes{"a": suite.Passed})).To(BeEmpty(), "the release does not have the item")
}
