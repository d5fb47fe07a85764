// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// Text writes the comparison for a terminal. Equal properties are left out.
func (c Comparison) Text(w io.Writer) error {
	var b bytes.Buffer
	for _, t := range c.Tables() {
		fmt.Fprintf(&b, "%s:\n", t.Title)
		lines := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{upper(t.Columns)}, t.Rows...) {
			fmt.Fprintf(lines, "  %s\n", strings.TrimRight(strings.Join(row, "\t"), "\t"))
		}
		_ = lines.Flush() // Writing to a buffer does not fail.
		b.WriteByte('\n')
	}
	for _, s := range c.Regressions() {
		fmt.Fprintf(&b, "%s passed before and fails now:\n", s.Now.ID)
		for line := range strings.Lines(strings.TrimSpace(s.Now.Reason) + "\n") {
			fmt.Fprintf(&b, "  %s", line)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintln(&b, c.Summary())
	_, err := w.Write(b.Bytes())
	return err
}

// Table is a part of a comparison. The first cell of a row is its name.
type Table struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// Tables returns the parts of the comparison that have rows.
func (c Comparison) Tables() []Table {
	runs := Table{"Runs", []string{"", "run", "started", "verdict"}, [][]string{run("before", c.Before), run("now", c.Now)}}
	outcomes := Table{Title: "Outcomes that changed", Columns: []string{"spec", "before", "now"}}
	for _, s := range c.Outcomes {
		outcomes.Rows = append(outcomes.Rows, []string{s.Now.ID, outcome(s.Before), outcome(s.Now)})
	}
	only := func(title string, specs []report.Spec) Table {
		t := Table{Title: title, Columns: []string{"spec", "outcome"}}
		for _, s := range specs {
			t.Rows = append(t.Rows, []string{s.ID, outcome(s)})
		}
		return t
	}
	title := fmt.Sprintf("Times that differ by a factor of at least %g and at least %g seconds", Factor, Seconds)
	times := Table{Title: title, Columns: []string{"spec", "before", "now"}}
	for _, s := range c.Times {
		times.Rows = append(times.Rows, []string{s.Now.ID, fmt.Sprintf("%.1f s", s.Before.Seconds), fmt.Sprintf("%.1f s", s.Now.Seconds)})
	}
	environment := Table{Title: "Environment", Columns: []string{"property", "before", "now"}}
	for _, d := range c.Environment {
		environment.Rows = append(environment.Rows, []string{d.Name, cmp.Or(d.Before, "-"), cmp.Or(d.Now, "-")})
	}
	all := []Table{runs, environment, outcomes, only("New specs", c.New), only("Removed specs", c.Removed), times}
	return slices.DeleteFunc(all, func(t Table) bool { return len(t.Rows) == 0 })
}

func run(name string, r report.Report) []string {
	return []string{name, r.Run.ID, r.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC"), r.Verdict.String()}
}

// outcome returns the outcome of a spec. Specs of a run that ended early may
// have none.
func outcome(s report.Spec) string {
	text := string(cmp.Or(s.Outcome, suite.Outcome("no outcome")))
	if s.Provisional() {
		text += " (provisional)"
	}
	return text
}

// Summary returns the comparison in one line.
func (c Comparison) Summary() string {
	regressions := len(c.Regressions())
	switch {
	case regressions > 0:
		return fmt.Sprintf("%d of %d specs passed before and fail now", regressions, len(c.Now.Specs))
	case len(c.Outcomes) == 0 && len(c.New)+len(c.Removed) == 0:
		return "no outcome has changed"
	default:
		return "no spec that passed before fails now"
	}
}

func upper(names []string) []string {
	var all []string
	for _, n := range names {
		all = append(all, strings.ToUpper(n))
	}
	return all
}
