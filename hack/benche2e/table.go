// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"text/template"
	"time"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/measure"
)

// longest is the number of specs in the table of those that take longest.
const longest = 15

//go:embed part.md.tmpl
var part string

// document returns the part of the page about a path.
func document(p path, m measure.Machine, rounds []round) measure.Part {
	runs := make([]measure.Run, 0, len(rounds))
	for _, r := range rounds {
		runs = append(runs, r.Run)
	}
	specs, steps := longestOf(rounds, specSeconds), longestOf(rounds, stepSeconds)
	var b bytes.Buffer
	err := template.Must(template.New("part").Parse(part)).Execute(&b, map[string]any{
		"Title": p.Title, "Command": p.command(), "Measured": m.Describe(len(rounds)),
		"Figures": figures(rounds), "Tasks": measure.TaskRows(runs), "Specs": specs, "Steps": steps,
	})
	if err != nil {
		panic(err) // the template is embedded and always matches its data
	}
	return measure.Part{Name: p.Name, By: "make bench-e2e", Text: b.String()}
}

// figures returns the rows of the overall results.
func figures(rounds []round) []measure.Figure {
	return []measure.Figure{
		measure.Durations("until the first spec runs", rounds, func(r round) time.Duration { return r.UntilSpecs() }),
		measure.Durations("until the verdict", rounds, func(r round) time.Duration { return r.UntilVerdict() }),
		measure.Durations("processors' time until then", rounds, func(r round) time.Duration { return r.CPUUntilVerdict() }),
		measure.Numbers("memory", "%.1f GiB", rounds, func(r round) float64 { return float64(r.Memory()) / measure.GiB }),
		measure.Numbers("specs that ran", "%.0f", rounds, func(r round) float64 { return float64(len(specSeconds(r.report))) }),
	}
}

// specSeconds returns the durations of the specs that ran, by their ids.
func specSeconds(r report.Report) map[string]float64 {
	all := map[string]float64{}
	for _, s := range r.Specs {
		if s.After != nil {
			all[s.ID] = s.Seconds
		}
	}
	return all
}

// stepSeconds returns the durations of the steps of journeys, by their texts.
func stepSeconds(r report.Report) map[string]float64 {
	all := map[string]float64{}
	for _, s := range r.Specs {
		if s.Journey == nil {
			continue
		}
		for _, step := range s.Journey.Steps {
			all[step.Text] = step.Seconds
		}
	}
	return all
}

// longestOf returns the specs or steps that take longest, those with the largest
// median first.
func longestOf(rounds []round, of func(report.Report) map[string]float64) []measure.Figure {
	by := map[string][]time.Duration{}
	for _, r := range rounds {
		for name, seconds := range of(r.report) {
			by[name] = append(by[name], time.Duration(seconds*float64(time.Second)))
		}
	}
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		return cmp.Or(cmp.Compare(measure.Median(by[b]), measure.Median(by[a])), cmp.Compare(a, b))
	})
	var rows []measure.Figure
	for _, name := range names[:min(longest, len(names))] {
		rows = append(rows, measure.Durations(name, by[name], func(d time.Duration) time.Duration { return d }))
	}
	return rows
}
