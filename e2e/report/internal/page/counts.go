// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// CountTable counts outcomes, for example of the specs of each profile.
type CountTable struct {
	// Of is the heading of the rows, such as Profile.
	Of      string
	Caption string
	// Outcomes are the columns.
	Outcomes []string
	Rows     []CountRow
}

// CountRow is for example a profile.
type CountRow struct {
	Name string
	// Result is the conformance of a profile. It is empty for other rows, and while
	// the run takes place.
	Result string
	// Filter is the value of the page's filter that shows the specs of the row. It is
	// empty if there is none.
	Filter string
	Cells  []CountCell
}

// CountCell is the number of specs or requirements with an outcome.
type CountCell struct {
	Outcome string
	Count   int
}

// CountSpecs counts the outcomes of specs by profile. It returns nil without specs.
func CountSpecs(caption string, specs []report.Spec) *CountTable {
	var profiles []string
	counts := map[string]map[suite.Outcome]int{}
	for _, s := range specs {
		if counts[s.Profile] == nil {
			profiles, counts[s.Profile] = append(profiles, s.Profile), map[suite.Outcome]int{}
		}
		counts[s.Profile][s.Outcome]++
	}
	if len(profiles) == 0 {
		return nil
	}
	t := &CountTable{Of: "Profile", Caption: caption, Outcomes: SpecOutcomes(func(o suite.Outcome) bool {
		return slices.ContainsFunc(profiles, func(p string) bool { return counts[p][o] > 0 })
	})}
	for _, p := range profiles {
		t.Add(CountRow{Name: p}, func(o string) int { return counts[p][suite.Outcome(o)] })
	}
	return t
}

// SpecOutcomes returns the columns of a table of specs. Outcomes other than passed and
// failed have a column only if a spec has them, so that the table is small.
func SpecOutcomes(has func(suite.Outcome) bool) []string {
	all := []string{string(suite.Passed), string(suite.Failed)}
	for _, o := range []suite.Outcome{suite.Skipped, suite.NotSupported, suite.NotApplicable, ""} {
		if has(o) {
			all = append(all, string(o))
		}
	}
	return all
}

// Add adds a row. count returns its number for each column.
func (t *CountTable) Add(r CountRow, count func(outcome string) int) {
	for _, o := range t.Outcomes {
		r.Cells = append(r.Cells, CountCell{o, count(o)})
	}
	t.Rows = append(t.Rows, r)
}

// HasResults reports whether the table has a column for results.
func (t *CountTable) HasResults() bool {
	return slices.ContainsFunc(t.Rows, func(r CountRow) bool { return r.Result != "" })
}

// Text returns the sums of the columns, such as "3 passed, 1 failed".
func (t *CountTable) Text() string {
	var parts []string
	for i, o := range t.Outcomes {
		n := 0
		for _, r := range t.Rows {
			n += r.Cells[i].Count
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, OutcomeText(o)))
		}
	}
	return strings.Join(parts, ", ")
}

// OutcomeText returns the word for an outcome. Specs of a run that ended early may have
// none.
func OutcomeText[O ~string](o O) string { return cmp.Or(string(o), "no outcome") }
