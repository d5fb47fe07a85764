// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// Markdown writes a summary for a pull request or a conformance claim: the
// verdict, the properties of the cluster, the outcomes, the reasons of
// failures, and how to reproduce the run. It uses GitHub Flavored Markdown.
func (e Evidence) Markdown(w io.Writer) error {
	var b bytes.Buffer
	r := e.Report
	fmt.Fprintf(&b, "# draconform: %s\n\n", cell(string(r.Verdict.Result)))
	if text := r.Verdict.Summary(); text != "" {
		fmt.Fprintf(&b, "%s.\n\n", cell(text))
	}
	fmt.Fprintf(&b, "> %s\n\n", cell(r.Verdict.Rule))
	if r.Verdict.Problem != "" {
		fmt.Fprintf(&b, "The run ended early:\n\n%s\n", fence(r.Verdict.Problem))
	}
	b.WriteString("## Environment\n\n| property | value |\n|---|---|\n")
	for _, f := range Facts(r) {
		fmt.Fprintf(&b, "| %s | %s |\n", cell(f.Name), cell(f.Value))
	}
	e.markdownProfiles(&b)
	e.markdownCompared(&b)
	e.markdownSpecs(&b)
	e.markdownFailures(&b)
	e.markdownJourneys(&b)
	e.markdownRequirements(&b)
	e.markdownAIConformance(&b)
	fmt.Fprintf(&b, "\n## How to reproduce\n\n%s", fence(strings.Join(r.Commands(), "\n")))
	_, err := w.Write(b.Bytes())
	return err
}

// markdownSpecs writes the table of outcomes.
func (e Evidence) markdownSpecs(b *bytes.Buffer) {
	b.WriteString("\n## Specs\n\n| spec | description | component | outcome | time |\n|---|---|---|---|---|\n")
	for _, s := range e.Report.Specs {
		result, time := outcome(s), ""
		if s.Outcome != suite.Passed && s.Outcome != suite.Failed && s.Reason != "" {
			result += ": " + page.Short(s.Reason)
		}
		if s.After != nil || s.Seconds > 0 {
			time = formatDuration(s.Seconds)
		}
		if fails(s) {
			result = "**" + cell(result) + "**"
		} else {
			result = cell(result)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", cell(s.ID), cell(s.Description), cell(string(s.Component)), result, time)
	}
}

// markdownCompared writes the comparison with an earlier run.
func (e Evidence) markdownCompared(b *bytes.Buffer) {
	if e.Compared == nil {
		return
	}
	fmt.Fprintf(b, "\n## Comparison\n\nWith the earlier run %s: %s.\n", cell(e.Compared.Before.Run.ID), cell(e.Compared.Summary()))
	row := func(texts []string) {
		for _, text := range texts {
			fmt.Fprintf(b, "| %s ", cell(text))
		}
		b.WriteString("|\n")
	}
	for _, t := range e.Compared.Tables() {
		fmt.Fprintf(b, "\n%s:\n\n", cell(t.Title))
		row(t.Columns)
		b.WriteString(strings.Repeat("|---", len(t.Columns)) + "|\n")
		for _, r := range t.Rows {
			row(r)
		}
	}
}

// markdownFailures writes the failures, those of provisional specs apart.
func (e Evidence) markdownFailures(b *bytes.Buffer) {
	for _, part := range []struct {
		heading     string
		provisional bool
	}{{"Failures\n", false}, {"Failures of provisional specs\n\nThey have no effect on the verdict.\n", true}} {
		first := true
		for _, s := range e.Report.Specs {
			if s.Outcome != suite.Failed || s.Provisional() != part.provisional {
				continue
			}
			if first {
				fmt.Fprintf(b, "\n## %s", part.heading)
				first = false
			}
			fmt.Fprintf(b, "\n### %s\n\n%s\n\n%s", cell(s.ID), cell(s.Description), fence(s.Reason))
		}
	}
}

func (e Evidence) markdownRequirements(b *bytes.Buffer) {
	if len(e.Requirements) == 0 {
		return
	}
	b.WriteString("\n## Requirements\n\n| requirement | statement | outcome | specs |\n|---|---|---|---|\n")
	for _, r := range e.Requirements {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(r.ID), cell(r.Statement), cell(r.text()), cell(strings.Join(r.Specs, ", ")))
	}
}

// cell escapes text and puts it on one line.
func cell(text string) string { return page.Cell(text) }

// fence returns unchanged text in a code fence that is longer than any in the
// text.
func fence(text string) string {
	marks := "```"
	for strings.Contains(text, marks) {
		marks += "`"
	}
	return marks + "text\n" + strings.TrimRight(text, "\n") + "\n" + marks + "\n"
}
