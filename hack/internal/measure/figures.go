// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"fmt"
	"slices"
	"time"
)

// GiB is the unit of memory and disks in tables.
const GiB = 1 << 30

// Figure is a row of a table: the median of several rounds and their range.
type Figure struct{ Name, Median, Range string }

// Durations returns the figure of a duration of each round.
func Durations[T any](name string, rounds []T, of func(T) time.Duration) Figure {
	all := values(rounds, of)
	return Figure{name, Format(Median(all)), Format(slices.Min(all)) + " to " + Format(slices.Max(all))}
}

// Numbers returns the figure of a number of each round. The layout is that of
// [fmt.Sprintf] for one number.
func Numbers[T any](name, layout string, rounds []T, of func(T) float64) Figure {
	all := values(rounds, of)
	return Figure{name, fmt.Sprintf(layout, Median(all)), fmt.Sprintf(layout+" to "+layout, slices.Min(all), slices.Max(all))}
}

func values[T, V any](rounds []T, of func(T) V) []V {
	all := make([]V, 0, len(rounds))
	for _, r := range rounds {
		all = append(all, of(r))
	}
	return all
}

// TaskRow is a row of the table of tasks, with the medians of several rounds.
type TaskRow struct{ Name, Begins, Wall, CPU, Memory string }

// TaskRows returns the tasks of the first round in order, with the medians of all
// rounds.
func TaskRows(rounds []Run) []TaskRow {
	var rows []TaskRow
	for _, s := range rounds[0].Timeline.Tasks {
		var begins, wall, cpu []time.Duration
		var memory []float64
		for _, r := range rounds {
			s, found := r.Timeline.Find(s.Name)
			if !found {
				continue
			}
			c, m := r.Samples.Between(s.From, s.To)
			begins, wall, cpu, memory = append(begins, s.From.Sub(r.Begun)), append(wall, s.To.Sub(s.From)), append(cpu, c), append(memory, float64(m)/GiB)
		}
		if len(wall) > 0 {
			rows = append(rows, TaskRow{s.Name, Format(Median(begins)), Format(Median(wall)), Format(Median(cpu)), fmt.Sprintf("%.1f GiB", Median(memory))})
		}
	}
	return rows
}

// Median returns the middle value. Of an even number of values, it returns the
// lower middle one.
func Median[T time.Duration | float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// Format formats a duration: tenths of a second below ten seconds, seconds
// above.
func Format(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
