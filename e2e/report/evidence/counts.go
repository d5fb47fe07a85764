// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// countTable counts outcomes by profile or by KEP.
type countTable struct {
	// Outcomes are the columns.
	Outcomes []string
	Rows     []countRow
}

// countRow is a profile or a KEP.
type countRow struct {
	Name string
	// Result is the conformance of a profile. It is empty for a KEP.
	Result string
	Cells  []countCell
}

// countCell is the number of specs or requirements with an outcome.
type countCell struct {
	Outcome string
	Count   int
}

// profileCounts counts the outcomes of the core and extended specs of each
// profile. Outcomes other than passed and failed have a column only if a spec has
// them.
func profileCounts(v report.Verdict) *countTable {
	t := &countTable{Outcomes: outcomeNames(suite.Passed, suite.Failed)}
	for _, o := range outcomeNames(suite.Skipped, suite.NotSupported, suite.NotApplicable, "") {
		if slices.ContainsFunc(v.Profiles, func(p report.Profile) bool { return p.Counts[suite.Outcome(o)] > 0 }) {
			t.Outcomes = append(t.Outcomes, o)
		}
	}
	for _, p := range v.Profiles {
		t.add(countRow{Name: p.Name, Result: string(p.Result)}, func(o string) int { return p.Counts[suite.Outcome(o)] })
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// provisionalCounts counts the outcomes of the provisional specs of each profile.
func provisionalCounts(specs []report.Spec) *countTable {
	t := &countTable{Outcomes: outcomeNames(suite.Passed, suite.Failed)}
	var profiles []string
	counts := map[string]map[string]int{}
	for _, s := range specs {
		if !s.Provisional() {
			continue
		}
		if counts[s.Profile] == nil {
			profiles, counts[s.Profile] = append(profiles, s.Profile), map[string]int{}
		}
		counts[s.Profile][string(s.Outcome)]++
	}
	for _, o := range outcomeNames(suite.Skipped, suite.NotSupported, suite.NotApplicable, "") {
		if slices.ContainsFunc(profiles, func(p string) bool { return counts[p][o] > 0 }) {
			t.Outcomes = append(t.Outcomes, o)
		}
	}
	for _, p := range profiles {
		t.add(countRow{Name: p}, func(o string) int { return counts[p][o] })
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// Text returns the sums of the columns, such as "3 passed, 1 failed".
func (t *countTable) Text() string {
	var parts []string
	for i, o := range t.Outcomes {
		n := 0
		for _, r := range t.Rows {
			n += r.Cells[i].Count
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcomeText(suite.Outcome(o))))
		}
	}
	return strings.Join(parts, ", ")
}

// coverage counts the outcomes of the requirements of each KEP.
func coverage(all []RequirementOutcome) *countTable {
	t := &countTable{Outcomes: outcomeNames(requirements.Proved, requirements.Failed, requirements.NotSupported, requirements.NotRun)}
	var keps []string
	counts := map[string]map[string]int{}
	for _, r := range all {
		kep, _, _ := strings.Cut(r.ID, "-")
		if counts[kep] == nil {
			keps, counts[kep] = append(keps, kep), map[string]int{}
		}
		counts[kep][r.Outcome]++
		if !slices.Contains(t.Outcomes, r.Outcome) {
			t.Outcomes = append(t.Outcomes, r.Outcome)
		}
	}
	for _, kep := range keps {
		t.add(countRow{Name: "KEP-" + kep}, func(o string) int { return counts[kep][o] })
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

func (t *countTable) add(r countRow, count func(outcome string) int) {
	for _, o := range t.Outcomes {
		r.Cells = append(r.Cells, countCell{o, count(o)})
	}
	t.Rows = append(t.Rows, r)
}

func outcomeNames[O ~string](all ...O) []string {
	var names []string
	for _, o := range all {
		names = append(names, string(o))
	}
	return names
}
