// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package perf

import (
	"fmt"
	"slices"
	"strings"

	schedulerperf "k8s.io/kubernetes/test/integration/scheduler_perf"
)

// Metrics as scheduler_perf names them in its results.
const (
	throughputMetric = "SchedulingThroughput"
	pluginMetric     = "scheduler_plugin_execution_duration_seconds"
	attemptMetric    = "scheduler_scheduling_attempt_duration_seconds"
	// cycleMetric measures from PreFilter to the selection of a node, for pods that were scheduled.
	cycleMetric = "scheduler_scheduling_algorithm_duration_seconds"
)

// longest is the upper end of the buckets of pluginMetric, in milliseconds. Longer durations are counted as this.
const longest = 22

// column is a metric of one test case with one or two values.
type column struct {
	title  string
	metric string
	point  string // The extension point, empty for metrics that are not about one.
	values []string
}

var columns = []column{
	{title: "pods/s", metric: throughputMetric, values: []string{"Average"}},
	{title: "cycle ms", metric: cycleMetric, values: []string{"Average", "Perc99"}},
	{title: "PreFilter ms", metric: pluginMetric, point: "PreFilter", values: []string{"Perc50", "Perc99"}},
	{title: "Filter ms", metric: pluginMetric, point: "Filter", values: []string{"Perc50", "Perc99"}},
	{title: "Reserve ms", metric: pluginMetric, point: "Reserve", values: []string{"Perc50", "Perc99"}},
	{title: "pod ms", metric: attemptMetric, values: []string{"Perc50", "Perc99"}},
}

// Results of scheduling attempts, as in attemptMetric.
const scheduled = "scheduled"

var failed = []string{"unschedulable", "error"}

// table returns the results of rounds in Markdown. A row is a workload. Each column occurs twice, for the plugin of
// Kubernetes and for the other one, with the medians of the rounds. Latencies are p50 / p99, and average / p99 for
// cycles. They are the latencies of scheduled pods or, if there are none, of failed attempts. Rows without any
// results are left out. A missing result of one plugin is shown as a dash.
func table(rows []string, theirs, ours string, rounds [][]schedulerperf.DataItem) string {
	var b strings.Builder
	header := []string{"workload"}
	for _, c := range columns {
		header = append(header, c.title+" "+theirs, ours)
		if c.metric == throughputMetric {
			header = append(header, "ratio")
		}
	}
	line(&b, header)
	line(&b, append([]string{"---"}, repeat("---:", len(header)-1)...))
	for _, row := range rows {
		first, second := ofCase(rounds, caseName(row, theirs)), ofCase(rounds, caseName(row, ours))
		if len(slices.Concat(first...))+len(slices.Concat(second...)) == 0 {
			continue
		}
		cells := []string{row}
		for _, c := range columns {
			cells = append(cells, c.cell(first), c.cell(second))
			if c.metric == throughputMetric {
				cells = append(cells, c.ratio(first, second))
			}
		}
		line(&b, cells)
	}
	return b.String()
}

// ofCase returns the results of a test case in each round. Their names are paths: the benchmark, the test case, the
// workload.
func ofCase(rounds [][]schedulerperf.DataItem, name string) [][]schedulerperf.DataItem {
	found := make([][]schedulerperf.DataItem, len(rounds))
	for i, results := range rounds {
		for _, r := range results {
			if parts := strings.Split(r.Labels["Name"], "/"); len(parts) > 1 && parts[1] == name {
				found[i] = append(found[i], r)
			}
		}
	}
	return found
}

// data returns the values of the column. For attempts it returns only those with the given result. It returns nil if
// there are none, because no pod was scheduled or no call was sampled.
func (c column) data(results []schedulerperf.DataItem, outcome string) []float64 {
	for _, r := range results {
		switch {
		case r.Labels["Metric"] != c.metric:
		case c.point != "" && r.Labels["extension_point"] != c.point:
		case c.metric == attemptMetric && r.Labels["result"] != outcome:
		default:
			var values []float64
			for _, name := range c.values {
				values = append(values, r.Data[name])
			}
			return values
		}
	}
	return nil
}

// medians returns the medians over the rounds that have values, or nil if none has.
func (c column) medians(rounds [][]schedulerperf.DataItem, outcome string) []float64 {
	var each [][]float64 // By value, of all rounds.
	for _, results := range rounds {
		for i, value := range c.data(results, outcome) {
			if len(each) <= i {
				each = append(each, nil)
			}
			each[i] = append(each[i], value)
		}
	}
	var medians []float64
	for _, values := range each {
		medians = append(medians, median(values))
	}
	return medians
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

func (c column) cell(rounds [][]schedulerperf.DataItem) string {
	values, suffix := c.medians(rounds, scheduled), ""
	for i := 0; values == nil && i < len(failed); i++ {
		values, suffix = c.medians(rounds, failed[i]), " "+failed[i]
	}
	if values == nil {
		return "–"
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, c.text(v))
	}
	return strings.Join(texts, " / ") + suffix
}

func (c column) text(value float64) string {
	switch {
	case c.metric == pluginMetric && value > longest:
		return fmt.Sprintf(">%d", longest)
	case c.metric == throughputMetric, value >= 100:
		return fmt.Sprintf("%.0f", value)
	default:
		return fmt.Sprintf("%.3g", value)
	}
}

// ratio returns the ratio of the medians, with the range of the ratios of single rounds in brackets.
func (c column) ratio(theirs, ours [][]schedulerperf.DataItem) string {
	var each []float64
	for i := range theirs {
		a, b := c.data(theirs[i], scheduled), c.data(ours[i], scheduled)
		if len(a) > 0 && len(b) > 0 && a[0] > 0 {
			each = append(each, b[0]/a[0])
		}
	}
	if len(each) == 0 {
		return "–"
	}
	text := fmt.Sprintf("%.2f", c.medians(ours, scheduled)[0]/c.medians(theirs, scheduled)[0])
	if len(each) > 1 {
		text += fmt.Sprintf(" (%.2f to %.2f)", slices.Min(each), slices.Max(each))
	}
	return text
}

func repeat(cell string, n int) []string {
	cells := make([]string, n)
	for i := range cells {
		cells[i] = cell
	}
	return cells
}

func line(b *strings.Builder, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}
