// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// Text writes the evidence for a terminal.
func (e Evidence) Text(w io.Writer) error {
	var b bytes.Buffer
	r := e.Report
	fmt.Fprintf(&b, "verdict: %s\n", r.Verdict)
	if r.Verdict.Problem != "" {
		fmt.Fprintf(&b, "the run ended early:\n%s", indented(r.Verdict.Problem))
	}
	for _, text := range Profiles(r) {
		b.WriteString(text)
	}
	b.WriteByte('\n')
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range Facts(r) {
		fmt.Fprintf(table, "%s:\t%s\n", f.Name, f.Value)
	}
	fmt.Fprintf(table, "\nSPEC\tOUTCOME\tTIME\tREASON\n")
	for _, s := range r.Specs {
		reason, time := page.Short(s.Reason), ""
		if s.Outcome == suite.Failed {
			reason = "see below"
		}
		if s.After != nil || s.Seconds > 0 {
			time = formatDuration(s.Seconds)
		}
		fmt.Fprintln(table, strings.TrimRight(strings.Join([]string{s.ID, outcome(s), time, reason}, "\t"), "\t"))
	}
	_ = table.Flush() // Writing to a buffer does not fail.
	for _, text := range Failures(r) {
		b.WriteString("\n" + text)
	}
	for i, q := range e.Requirements {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "requirement %s: %s\n", q.ID, q.text())
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Failures returns, for each failed spec, its description and the reason of the
// failure. Those of provisional specs are first, so that the failures that
// matter are at the end of the output.
func Failures(r report.Report) []string {
	var provisional, all []string
	for _, s := range r.Specs {
		switch {
		case fails(s):
			all = append(all, fmt.Sprintf("%s failed. %s\n%s", s.ID, s.Description, indented(s.Reason)))
		case s.Outcome == suite.Failed:
			provisional = append(provisional, fmt.Sprintf("%s failed, without effect on the verdict because it is provisional. %s\n%s", s.ID, s.Description, indented(s.Reason)))
		}
	}
	return append(provisional, all...)
}

// indented indents text.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString(strings.TrimRight("  "+line, " "))
	}
	return b.String()
}
