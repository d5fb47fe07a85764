// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"fmt"
	"strings"
	"text/tabwriter"
)

// begin is the part of the page before the numbers.
//
//go:embed page.md
var begin string

// row has the numbers of a package. Score is the share of the changes in lines that
// tests run which they find, in percent.
type row struct {
	pkg                                string
	changes, killed, lived, notCovered int
	score                              float64
}

func rows(results []result) []row {
	var all []row
	for _, r := range results {
		n := row{pkg: r.Package, changes: len(r.Changes), killed: len(r.with(killed)), lived: len(r.with(lived)), notCovered: len(r.with(notCovered))}
		if judged := n.changes - n.notCovered; judged > 0 {
			n.score = 100 * float64(judged-n.lived) / float64(judged)
		}
		all = append(all, n)
	}
	return all
}

// table returns the numbers for a terminal.
func table(results []result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PACKAGE\tCHANGES\tFAILED TESTS\tNOT FOUND\tNOT RUN\tSCORE")
	for _, r := range rows(results) {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%.0f %%\n", r.pkg, r.changes, r.killed, r.lived, r.notCovered, r.score)
	}
	_ = w.Flush() // A strings.Builder returns no errors.
	return b.String()
}

// document returns the numbers, and the changes that were read, as Markdown.
func (c catalogue) document(results []result) string {
	var b strings.Builder
	b.WriteString(begin)
	for _, r := range rows(results) {
		fmt.Fprintf(&b, "| \x60%s\x60 | %d | %d | %d | %d | %.0f %% |\n", r.pkg, r.changes, r.killed, r.lived, r.notCovered, r.score)
	}
	b.WriteString("\nThe others of the changes keep the tests from ending.\n\n| not found | change | why |\n|---|---|---|\n")
	for _, r := range results {
		for _, found := range r.with(lived) {
			if s, ok := c.of(found); ok {
				fmt.Fprintf(&b, "| \x60%s\x60 in \x60%s\x60 | %s | %s |\n", strings.ReplaceAll(found.Code, "|", "\\|"), found.File, found.Type, s.Because)
			}
		}
	}
	return b.String()
}
