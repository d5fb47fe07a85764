// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/draconform/draconform/clusters/progress"
)

// wholeTable returns a table of the results of the whole suite, and the other
// specs that failed in each run.
func wholeTable(results []wholeRun) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BATCH\tFAULT\tOF\tOUTCOME\tFOUND BY\tREASON")
	counts, faults := map[verdict]int{}, 0
	for _, r := range results {
		for _, o := range r.outcomes {
			faults++
			counts[o.verdict]++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s (%d of %d)\t%s\n",
				r.batch.name, o.fault.Name, o.fault.Broken, o.verdict, o.spec, o.found, len(o.fault.Specs), shorten(o.reason))
		}
	}
	_ = w.Flush() // A strings.Builder returns no errors.
	for _, r := range results {
		fmt.Fprintf(&b, "%s: %s, %d other specs failed: %s\n", r.batch.name, progress.Round(r.took), len(r.others), strings.Join(r.others, ", "))
	}
	fmt.Fprintf(&b, "%d faults in %d batches: %d killed, %d survived, %d misjudged\n", faults, len(results), counts[killed], counts[survived], counts[misjudged])
	return b.String()
}

// allKilled reports whether each fault was found.
func allKilled(results []wholeRun) bool {
	for _, r := range results {
		for _, o := range r.outcomes {
			if o.verdict != killed {
				return false
			}
		}
	}
	return true
}

// printBatches prints the batches and an estimate of the time for them.
func printBatches(out io.Writer, all []batch, chosen []fault, p pace) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "BATCH\tFAULT\tOF\tTOUCHES\tFOUND BY ONE OF")
	faults := 0
	for _, b := range all {
		for _, f := range b.faults {
			faults++
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", b.name, f.Name, f.Broken, strings.Join(f.Touches, ","), strings.Join(f.Specs, ","))
		}
	}
	_ = w.Flush()
	journeys, waiting := 0, 0
	for _, f := range chosen {
		switch {
		case len(f.Journeys) > 0:
			journeys++
		case f.Awaits != "":
			waiting++
		}
	}
	fmt.Fprintf(out, "%d faults in %d batches, and a run without a fault: about %s\n", faults, len(all), p.estimate(all).Round(time.Minute))
	fmt.Fprintf(out, "not in a batch: %d faults that journeys find, and %d without a spec\n", journeys, waiting)
}

// estimate returns about how long the runs of batches and the one without a fault
// take.
func (p pace) estimate(all []batch) time.Duration {
	total := p.run
	for _, b := range all {
		total += p.run + time.Duration(len(specsOf([]batch{b})))*p.failure
	}
	return total
}
