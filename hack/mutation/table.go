// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/draconform/draconform/hack/internal/measure"
)

// row has the numbers of a package. Score is the share of the tried changes that tests
// find, in percent.
type row struct {
	changes, killed, lived, notTried int
	score                            float64
}

func numbers(r result) row {
	n := row{changes: len(r.Changes), killed: len(r.with(killed)), lived: len(r.with(lived)), notTried: len(r.with(notTried))}
	if judged := n.changes - n.notTried; judged > 0 {
		n.score = 100 * float64(judged-n.lived) / float64(judged)
	}
	return n
}

// table returns the numbers for a terminal.
func table(results []result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PACKAGE\tCHANGES\tFAILED TESTS\tNOT FOUND\tNOT TRIED\tSCORE")
	for _, r := range results {
		n := numbers(r)
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.0f %%\n", r.Package, n.changes, n.killed, n.lived, n.notTried, n.score)
	}
	_ = w.Flush() // A strings.Builder returns no errors.
	return b.String()
}

// part returns the part of the page about a package that was measured on a machine:
// its numbers, and the changes that were read.
func (c catalogue) part(r result, on measure.Machine) measure.Part {
	n := numbers(r)
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\nMeasured on %s at commit %s.\n\n", r.Package, on.Date, on.Commit)
	b.WriteString("| changes | failed tests | not found | not tried | score |\n|---|---|---|---|---|\n")
	fmt.Fprintf(&b, "| %d | %d | %d | %d | %.0f %% |\n", n.changes, n.killed, n.lived, n.notTried, n.score)
	header := "\n| not found | change | why |\n|---|---|---|\n"
	for _, found := range r.with(lived) {
		if s, ok := c.of(found); ok {
			fmt.Fprintf(&b, "%s| \x60%s\x60 in \x60%s\x60 | %s | %s |\n", header, strings.ReplaceAll(found.Code, "|", "\\|"), filepath.Base(found.File), found.Type, s.Because)
			header = ""
		}
	}
	return measure.Part{Name: "changes of " + r.Package, By: "make mutation", Text: b.String()}
}
