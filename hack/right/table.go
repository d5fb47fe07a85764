// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/run"
)

// usualRuns estimates how long a run of the whole suite takes on two cores, by provider.
var usualRuns = map[string]time.Duration{run.Kind: 12 * time.Minute, run.ControlPlane: 4 * time.Minute}

// table returns a table of the results, with the specs that did not pass.
func table(results []result) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BATCH\tVERDICT\tTIME\tVARIANTS")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.batch.name, r.verdict(), progress.Round(r.took), strings.Join(r.batch.of(components...), ", "))
	}
	_ = w.Flush() // A strings.Builder returns no errors.
	for _, r := range results {
		if r.err != nil {
			fmt.Fprintf(&b, "%s: %v\n", r.batch.name, r.err)
		}
		for _, f := range r.blamed {
			why := "because of " + cmp.Or(strings.Join(f.by, ", "), "no variant alone")
			if f.passedAgain {
				why = "and passed when it was repeated"
			}
			fmt.Fprintf(&b, "%s: %s is %q %s: %s\n", r.batch.name, f.spec.ID, f.spec.Outcome, why, strings.Join(strings.Fields(f.spec.Reason), " "))
		}
	}
	return b.String()
}

// conformant reports whether no variant was blamed.
func conformant(results []result) bool {
	for _, r := range results {
		if r.err != nil || len(r.blamed) > 0 {
			return false
		}
	}
	return true
}

// printBatches prints the batches and an estimate of the time for them. hasWithout states
// that there is a report of a run without a variant.
func printBatches(out io.Writer, all []batch, usualRun time.Duration, hasWithout bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BATCH\tVARIANT\tOF\tWHAT IT DOES\tWHY IT IS RIGHT")
	variants := 0
	for _, b := range all {
		for _, v := range b.variants {
			variants++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", b.name, v.Name, v.Component, v.Does, v.Allowed)
		}
	}
	_ = w.Flush()
	runs, first := len(all), ""
	if !hasWithout {
		runs, first = runs+1, ", and a run without a variant"
	}
	fmt.Fprintf(out, "%d variants in %d batches%s: about %s\n", variants, len(all), first, time.Duration(runs)*usualRun)
}
