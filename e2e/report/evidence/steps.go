// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"slices"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// stepBar is a step on the time line of a spec. Positions are in percent of the
// spec's duration.
type stepBar struct {
	Duration, Text string
	// Outcome is failed for the step that failed, and empty after it.
	Outcome     suite.Outcome
	Left, Width float64
}

// Steps that no spec reports.
const (
	beginning = "the spec begins"
	removal   = "the objects of the spec are removed"
)

// timeLine returns the steps of a failed spec with their durations until the
// failure, and what followed. It is empty for other specs, and for reports
// without the time of the failure.
func timeLine(s report.Spec) []stepBar {
	if s.Outcome != suite.Failed || s.Failure == nil || s.Seconds <= 0 {
		return nil
	}
	var all []stepBar
	add := func(text string, from, to float64, o suite.Outcome) {
		from, to = min(max(from, 0), s.Seconds), min(max(to, from, 0), s.Seconds)
		b := stepBar{Duration: formatDuration(to - from), Text: text, Outcome: o, Width: max(percent(to-from, s.Seconds), 0.4)}
		b.Left = tenths(min(percent(from, s.Seconds), 100-b.Width))
		all = append(all, b)
	}
	steps, failed := slices.Clone(s.Steps), s.Failure.After
	if len(steps) == 0 || steps[0].After > failed {
		steps = slices.Insert(steps, 0, report.Step{Text: beginning})
	}
	for i, step := range steps {
		end, last := s.Seconds, i == len(steps)-1
		if !last {
			end = steps[i+1].After
		}
		switch {
		case step.After > failed:
			add(step.Text, step.After, end, "")
		case end <= failed && !last:
			add(step.Text, step.After, end, suite.Passed)
		default:
			add(step.Text, step.After, failed, suite.Failed)
			if failed < end {
				add(removal, failed, end, "")
			}
		}
	}
	return all
}
