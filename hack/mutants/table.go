// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/draconform/draconform/clusters/progress"
)

// table formats the outcomes and the number of each verdict.
func table(outcomes []outcome) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FAULT\tOF\tOUTCOME\tBY SPEC\tTIME\tREASON")
	counts := map[verdict]int{}
	for _, o := range outcomes {
		counts[o.verdict]++
		by, took := "-", "-"
		if o.spec != "" {
			by = o.spec
		}
		if n := len(o.fault.detectingSpecs()); n > 1 && o.verdict == detected {
			by += fmt.Sprintf(" (%d of %d)", n, n)
		}
		if o.took > 0 {
			took = progress.Round(o.took).String()
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", o.fault.Name, o.fault.Broken, o.verdict, by, took, shorten(o.reason))
	}
	_ = w.Flush() // A strings.Builder returns no errors.
	fmt.Fprintf(&b, "%d faults: %d detected, %d undetected, %d with a wrong reason, %d without a result, %d without a spec\n", len(outcomes),
		counts[detected], counts[undetected], counts[wrongReason], counts[noResult], counts[noSpec])
	return b.String()
}

// shorten cuts a reason to the width of a line.
func shorten(reason string) string {
	const most = 140
	runes := []rune(reason)
	if len(runes) <= most {
		return reason
	}
	return string(runes[:most-1]) + "…"
}

// failed reports whether a fault was not found although a spec exists for it.
func failed(outcomes []outcome) bool {
	for _, o := range outcomes {
		if o.verdict != detected && o.verdict != noSpec {
			return true
		}
	}
	return false
}

// printFaults prints the faults and the specs that must find them.
func printFaults(out io.Writer, faults []fault) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FAULT\tOF\tMUST FAIL\tWHAT IT DOES")
	for _, f := range faults {
		by := strings.Join(f.detectingSpecs(), ",")
		if by == "" {
			by = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.Name, f.Broken, by, f.Does)
	}
	_ = w.Flush()
}
