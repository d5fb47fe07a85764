// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// timeline shows when each spec ran. Positions and widths are in percent of the
// run.
type timeline struct {
	Rows  []bar
	Ticks []tick
	// Before is the time before the first spec. After is the time after the
	// last.
	Before, After string
}

type bar struct {
	ID string
	// Class is that of the outcome. Note is the outcome of a spec that did not pass.
	Class, Note string
	From, To    string
	Left, Width float64
}

type tick struct {
	Left float64
	Text string
}

// newTimeline returns the specs in the order of their start, or nil for a report
// without start times.
func newTimeline(r report.Report) *timeline {
	first, last := math.Inf(1), 0.0
	for _, s := range r.Specs {
		if s.After != nil {
			first, last = min(first, *s.After), max(last, *s.After+s.Seconds)
		}
	}
	if math.IsInf(first, 1) {
		return nil
	}
	total := max(last, r.Run.Duration.Seconds())
	t := &timeline{Before: formatDuration(max(first, 0)), After: formatDuration(total - last), Ticks: ticks(total)}
	began := slices.DeleteFunc(slices.Clone(r.Specs), func(s report.Spec) bool { return s.After == nil })
	slices.SortStableFunc(began, func(a, b report.Spec) int { return cmp.Compare(*a.After, *b.After) })
	for _, s := range began {
		b := bar{ID: s.ID, Class: page.NewBadge(outcome(s)).Class, From: clock(*s.After), To: clock(*s.After + s.Seconds), Left: percent(*s.After, total)}
		b.Width = tenths(min(max(percent(s.Seconds, total), 0.4), 100-b.Left))
		if s.Outcome != suite.Passed {
			b.Note = outcome(s)
		}
		t.Rows = append(t.Rows, b)
	}
	return t
}

// percent returns a percentage with one decimal place, which is less than a pixel.
func percent(part, total float64) float64 {
	if total <= 0 {
		return 0
	}
	return min(max(tenths(part/total*100), 0), 100)
}

// tenths rounds to one decimal place.
func tenths(x float64) float64 { return math.Round(x*10) / 10 }

// clock formats a time since the run's start in minutes and seconds.
func clock(seconds float64) string {
	whole := int(max(math.Round(seconds), 0))
	return fmt.Sprintf("%d:%02d", whole/60, whole%60)
}

// ticks returns at most 6 ticks at round times.
func ticks(total float64) []tick {
	const most = 6
	step := 86400.0
	for _, s := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400} {
		if total/s < most {
			step = s
			break
		}
	}
	var all []tick
	// A label at the very end would exceed the timeline.
	for at := 0.0; at <= 0.9*total && len(all) < most; at += step {
		all = append(all, tick{Left: percent(at, total), Text: clock(at)})
	}
	return all
}
