// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/draconform/draconform/clusters"
)

// machine describes the measured machine and versions.
type machine struct {
	Date, Commit, Processor, Memory, System, Kernel, Go, Kubernetes string
	Cores                                                           int
}

func describeMachine(ctx context.Context) (machine, error) {
	m := machine{Date: time.Now().UTC().Format(time.DateOnly), Cores: runtime.NumCPU(), Kubernetes: clusters.Newest().Version}
	for _, c := range []struct {
		into *string
		args []string
	}{
		{&m.Commit, []string{"git", "rev-parse", "--short=12", "HEAD"}},
		{&m.Kernel, []string{"uname", "--kernel-release"}},
		{&m.Go, []string{"go", "env", "GOVERSION"}},
		{&m.Processor, []string{"sed", "-n", `/^model name/{s/.*: //p;q}`, "/proc/cpuinfo"}},
		{&m.System, []string{"sed", "-n", `s/^PRETTY_NAME="\(.*\)"/\1/p`, "/etc/os-release"}},
	} {
		out, err := exec.CommandContext(ctx, c.args[0], c.args[1:]...).Output()
		if err != nil {
			return m, fmt.Errorf("describe this machine: %s: %w", strings.Join(c.args, " "), err)
		}
		*c.into = strings.TrimSpace(string(out))
	}
	meminfo, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m, err
	}
	var kib int64
	if _, err := fmt.Sscanf(string(meminfo), "MemTotal: %d kB", &kib); err != nil {
		return m, fmt.Errorf("read the size of memory: %w", err)
	}
	m.Memory = fmt.Sprintf("%d GiB", (kib+(1<<19))>>20)
	return m, nil
}

// row is a row of a table: the median of the rounds and their range.
type row struct{ Name, Median, Range string }

// taskRow is a task with the medians of the rounds.
type taskRow struct{ Name, Begins, Wall, CPU, Memory string }

//go:embed performance.md.tmpl
var performance string

// document returns the page with the tables.
func document(m machine, rounds []round) string {
	var b bytes.Buffer
	err := template.Must(template.New("performance").Parse(performance)).Execute(&b, map[string]any{
		"Machine": m, "Rounds": len(rounds), "Figures": figures(rounds), "Tasks": taskRows(rounds),
	})
	if err != nil {
		panic(err) // the template is embedded and always matches its data
	}
	return b.String()
}

// figures returns the rows of the overall results.
func figures(rounds []round) []row {
	rows := []row{
		durations("the first line", rounds, func(r round) time.Duration { return r.timeline.first.Sub(r.begun) }),
		durations("until the first spec runs", rounds, round.untilSpecs),
		durations("processors' time until then", rounds, round.untilSpecsCPU),
		durations("until the verdict", rounds, func(r round) time.Duration { return r.timeline.judgedAt.Sub(r.begun) }),
		durations("processors' time until then", rounds, func(r round) time.Duration {
			cpu, _ := r.samples.between(r.begun, r.timeline.judgedAt)
			return cpu
		}),
		numbers("caches and node images on disk", rounds, func(r round) float64 { return float64(r.disk) / (1 << 30) }, "%.1f GiB"),
	}
	if rounds[0].yardstick == 0 {
		return rows
	}
	return append(rows,
		durations("yardstick", rounds, func(r round) time.Duration { return r.yardstick }),
		durations("processors' time of the yardstick", rounds, func(r round) time.Duration { return r.yardstickCPU }),
		numbers("until the first spec, to the yardstick", rounds, func(r round) float64 { return r.untilSpecs().Seconds() / r.yardstick.Seconds() }, "%.2f"),
		numbers("processors' time until the first spec, to the yardstick's", rounds, func(r round) float64 {
			return r.untilSpecsCPU().Seconds() / r.yardstickCPU.Seconds()
		}, "%.2f"),
	)
}

// firstSpecs returns the first task in which specs ran.
func (r round) firstSpecs() (task, bool) {
	if s, found := r.timeline.find(parallelSpecs); found {
		return s, true
	}
	return r.timeline.find(serialSpecs)
}

func (r round) untilSpecs() time.Duration {
	s, _ := r.firstSpecs()
	return s.from.Sub(r.begun)
}

func (r round) untilSpecsCPU() time.Duration {
	s, _ := r.firstSpecs()
	cpu, _ := r.samples.between(r.begun, s.from)
	return cpu
}

// taskRows returns the tasks of the first round in order, with the medians of
// all rounds.
func taskRows(rounds []round) []taskRow {
	var rows []taskRow
	for _, s := range rounds[0].timeline.tasks {
		var begins, wall, cpu []time.Duration
		var memory []float64
		for _, r := range rounds {
			s, found := r.timeline.find(s.name)
			if !found {
				continue
			}
			c, m := r.samples.between(s.from, s.to)
			begins, wall, cpu, memory = append(begins, s.from.Sub(r.begun)), append(wall, s.to.Sub(s.from)), append(cpu, c), append(memory, float64(m)/(1<<30))
		}
		if len(wall) > 0 {
			rows = append(rows, taskRow{s.name, format(median(begins)), format(median(wall)), format(median(cpu)), fmt.Sprintf("%.1f GiB", median(memory))})
		}
	}
	return rows
}

func durations(name string, rounds []round, of func(round) time.Duration) row {
	var all []time.Duration
	for _, r := range rounds {
		all = append(all, of(r))
	}
	return row{name, format(median(all)), format(slices.Min(all)) + " to " + format(slices.Max(all))}
}

func numbers(name string, rounds []round, of func(round) float64, layout string) row {
	var all []float64
	for _, r := range rounds {
		all = append(all, of(r))
	}
	return row{name, fmt.Sprintf(layout, median(all)), fmt.Sprintf(layout+" to "+layout, slices.Min(all), slices.Max(all))}
}

// median returns the middle value. Of an even number of values, it returns the
// lower middle one.
func median[T time.Duration | float64](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// format formats a duration: tenths of a second below ten seconds, seconds
// above.
func format(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
