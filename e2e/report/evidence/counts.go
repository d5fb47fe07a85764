// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
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
