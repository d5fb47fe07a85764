// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/suite"
)

// longestReason is the maximum length of a reason in a summary, in bytes. GitHub
// shows no summary of more than 1 MiB.
const longestReason = 8 << 10

// marks are the marks of verdicts, which convey them without colour.
var marks = map[report.Result]string{report.Passed: "✓", report.Failed: "✗"}

// writeSummary writes a report as Markdown for the page of a CI job: the verdict,
// the failed specs with their reasons, the profiles, and all specs.
func writeSummary(w io.Writer, r report.Report) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "## %s draconform: %s\n\n", cmp.Or(marks[r.Verdict.Result], "!"), r.Verdict.Result)
	if text := r.Verdict.Summary(); text != "" {
		fmt.Fprintf(&b, "%s\n\n", html.EscapeString(text))
	}
	if r.Verdict.Problem != "" {
		fmt.Fprintf(&b, "The run ended early:\n\n%s\n", fenced(r.Verdict.Problem))
	}
	writeFailed(&b, r, "### Failed specs", false)
	if texts := evidence.Profiles(r); len(texts) > 0 {
		fmt.Fprintf(&b, "### Profiles\n\n%s\n", fenced(strings.Join(texts, "")))
	}
	writeFailed(&b, r, "### Failed provisional specs, without effect on the verdict", true)
	fmt.Fprintf(&b, "<details><summary>All %d specs</summary>\n\n| spec | outcome | component | reason |\n|---|---|---|---|\n", len(r.Specs))
	for _, s := range r.Specs {
		outcome, reason := string(s.Outcome), s.Reason
		if s.Outcome == suite.Failed {
			outcome, reason = "**failed**", "above"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", s.ID, outcome, s.Component, tableCell(reason))
	}
	b.WriteString("\n</details>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// writeFailed writes the failed specs, or the failed provisional ones.
func writeFailed(b *bytes.Buffer, r report.Report, heading string, provisional bool) {
	first := true
	for _, s := range r.Specs {
		if s.Outcome != suite.Failed || s.Provisional() != provisional {
			continue
		}
		if first {
			fmt.Fprintf(b, "%s\n\n", heading)
			first = false
		}
		open := " open"
		if provisional {
			open = ""
		}
		fmt.Fprintf(b, "<details%s><summary><code>%s</code> (%s): %s</summary>\n\n%s\n</details>\n\n",
			open, s.ID, s.Component, html.EscapeString(s.Description), fenced(s.Reason))
	}
}

var backticks = regexp.MustCompile("`{3,}")

// fenced returns a text as a block of code, whose fence is longer than any in
// the text.
func fenced(text string) string {
	if len(text) > longestReason {
		text = strings.ToValidUTF8(text[:longestReason], "") + "\n... (the report has the rest)"
	}
	fence := "```"
	for _, found := range backticks.FindAllString(text, -1) {
		if len(found) >= len(fence) {
			fence = found + "`"
		}
	}
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// tableCell returns a text on one line, without a meaning in Markdown.
func tableCell(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + " …"
	}
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`).Replace(html.EscapeString(text))
}
