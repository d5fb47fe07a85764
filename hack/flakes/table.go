// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
)

// print prints the table of all finished rounds and writes it to a file. It returns an error if a round did not pass.
func (r *runner) print(out io.Writer, variants []variant, rounds int) error {
	t := &table{}
	for _, v := range variants {
		t.add(v.name, r.reports(v, rounds), rounds)
	}
	if err := command.WriteTable(out, r.dir, t.String()); err != nil {
		return err
	}
	if t.failed {
		return errFlakes
	}
	return nil
}

// reports returns the reports of a variant by round.
func (r *runner) reports(v variant, rounds int) map[int]report.Report {
	all := map[int]report.Report{}
	for round := 1; round <= rounds; round++ {
		if got, err := r.read(v, round); err == nil {
			all[round] = got
		}
	}
	return all
}

// table lists the results of variants, and the failures by round.
type table struct {
	rows, failures []string
	failed         bool
}

// add adds a variant. Rounds without a report have not been run.
func (t *table) add(name string, reports map[int]report.Report, rounds int) {
	var took []time.Duration
	passed, specs := 0, 0
	for round := 1; round <= rounds; round++ {
		r, ok := reports[round]
		if !ok {
			continue
		}
		took = append(took, r.Run.Duration.Duration)
		specs = max(specs, r.Verdict.Counts[suite.Passed])
		if r.Verdict.Result.Succeeds() {
			passed++
			continue
		}
		t.failed = true
		t.explain(name, round, r)
	}
	shortest, median, longest := "-", "-", "-"
	if len(took) > 0 {
		slices.Sort(took)
		shortest, median, longest = rounded(took[0]), rounded(took[len(took)/2]), rounded(took[len(took)-1])
	}
	t.rows = append(t.rows, fmt.Sprintf("%s\t%d of %d\t%d\t%d\t%s\t%s\t%s", name, len(took), rounds, passed, specs, shortest, median, longest))
}

func rounded(d time.Duration) string { return progress.Round(d).String() }

// explain adds the failures of a round that did not pass, or the reason why it is not complete.
func (t *table) explain(name string, round int, r report.Report) {
	for _, s := range r.Specs {
		if s.Outcome == suite.Failed {
			t.failures = append(t.failures, fmt.Sprintf("%s\t%s\t%d\t%s", s.ID, name, round, firstLine(s.Reason)))
		}
	}
	if problem := r.Verdict.Problem; problem != "" || r.Verdict.Result == report.Incomplete {
		t.failures = append(t.failures, fmt.Sprintf("-\t%s\t%d\t%s", name, round, firstLine(cmp.Or(problem, "it is not complete"))))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// String returns the table, followed by the failures.
func (t *table) String() string {
	var b strings.Builder
	write := func(head string, rows []string) {
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, head)
		for _, row := range rows {
			_, _ = fmt.Fprintln(w, row)
		}
		_ = w.Flush() // A strings.Builder returns no errors.
	}
	write("VARIANT\tROUNDS\tPASSED\tSPECS\tSHORTEST\tMEDIAN\tLONGEST", t.rows)
	if len(t.failures) > 0 {
		write("\nFAILED\tVARIANT\tROUND\tREASON", t.failures)
	}
	return b.String()
}
