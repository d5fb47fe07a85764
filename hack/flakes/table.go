package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// tell prints the table of all finished rounds and writes it to a file. It returns an error if a round did not pass.
func (l *lab) tell(out io.Writer, parts []part, rounds int) error {
	t := &table{}
	for _, p := range parts {
		t.add(p.name, l.reports(p, rounds), rounds)
	}
	text := t.String()
	_, _ = fmt.Fprint(out, text)
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		return fmt.Errorf("keep the table: %w", err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "table.txt"), []byte(text), 0o644); err != nil {
		return fmt.Errorf("keep the table: %w", err)
	}
	if t.failed {
		return errFlakes
	}
	return nil
}

// reports returns the reports of a part by round.
func (l *lab) reports(p part, rounds int) map[int]report.Report {
	all := map[int]report.Report{}
	for round := 1; round <= rounds; round++ {
		if r, err := l.read(p, round); err == nil {
			all[round] = r
		}
	}
	return all
}

// table lists the results of parts, and the failures by round.
type table struct {
	rows, failures []string
	failed         bool
}

// add adds a part. Rounds without a report have not been run.
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
		if r.Verdict.Result == report.Passed {
			passed++
			continue
		}
		t.failed = true
		t.explain(name, round, r)
	}
	shortest, median, longest := "-", "-", "-"
	if len(took) > 0 {
		slices.Sort(took)
		shortest, median, longest = said(took[0]), said(took[len(took)/2]), said(took[len(took)-1])
	}
	t.rows = append(t.rows, fmt.Sprintf("%s\t%d of %d\t%d\t%d\t%s\t%s\t%s", name, len(took), rounds, passed, specs, shortest, median, longest))
}

func said(d time.Duration) string { return progress.Round(d).String() }

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
	write("PART\tROUNDS\tPASSED\tSPECS\tSHORTEST\tMEDIAN\tLONGEST", t.rows)
	if len(t.failures) > 0 {
		write("\nFAILED\tPART\tROUND\tREASON", t.failures)
	}
	return b.String()
}
