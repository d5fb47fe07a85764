// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"text/template"
	"time"

	"github.com/draconform/draconform/hack/internal/measure"
)

//go:embed part.md.tmpl
var part string

// document returns the part of the page with the tables.
func document(m measure.Machine, rounds []round) measure.Part {
	var runs []measure.Run
	for _, r := range rounds {
		runs = append(runs, r.Run)
	}
	var b bytes.Buffer
	err := template.Must(template.New("part").Parse(part)).Execute(&b, map[string]any{
		"Measured": m.Describe(len(rounds)), "Figures": figures(rounds), "Tasks": measure.TaskRows(runs),
	})
	if err != nil {
		panic(err) // the template is embedded and always matches its data
	}
	return measure.Part{Name: "bare machine", By: "make bench-cold", Text: b.String()}
}

// figures returns the rows of the overall results.
func figures(rounds []round) []measure.Figure {
	rows := []measure.Figure{
		measure.Durations("the first line", rounds, func(r round) time.Duration { return r.Timeline.First.Sub(r.Begun) }),
		measure.Durations("until the first spec runs", rounds, func(r round) time.Duration { return r.UntilSpecs() }),
		measure.Durations("processors' time until then", rounds, func(r round) time.Duration { return r.CPUUntilSpecs() }),
		measure.Durations("until the verdict", rounds, func(r round) time.Duration { return r.UntilVerdict() }),
		measure.Durations("processors' time until then", rounds, func(r round) time.Duration { return r.CPUUntilVerdict() }),
		measure.Numbers("caches and node images on disk", "%.1f GiB", rounds, func(r round) float64 { return float64(r.Disk) / measure.GiB }),
	}
	if rounds[0].Yardstick == 0 {
		return rows
	}
	return append(rows,
		measure.Durations("yardstick", rounds, func(r round) time.Duration { return r.Yardstick }),
		measure.Durations("processors' time of the yardstick", rounds, func(r round) time.Duration { return r.YardstickCPU }),
		measure.Numbers("until the first spec, to the yardstick", "%.2f", rounds, func(r round) float64 { return r.UntilSpecs().Seconds() / r.Yardstick.Seconds() }),
		measure.Numbers("processors' time until the first spec, to the yardstick's", "%.2f", rounds, func(r round) float64 {
			return r.CPUUntilSpecs().Seconds() / r.YardstickCPU.Seconds()
		}),
	)
}
