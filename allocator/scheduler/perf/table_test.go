// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package perf

import (
	"testing"

	. "github.com/onsi/gomega"
	schedulerperf "k8s.io/kubernetes/test/integration/scheduler_perf"
)

func item(test, metric, point string, data map[string]float64) schedulerperf.DataItem {
	labels := map[string]string{"Name": "BenchmarkPerfScheduling/" + test + "/many/test", "Metric": metric}
	if point != "" {
		labels["extension_point"] = point
	}
	return schedulerperf.DataItem{Labels: labels, Data: data}
}

func attempts(test, result string, p50, p99 float64) schedulerperf.DataItem {
	i := item(test, attemptMetric, "not applicable", map[string]float64{"Perc50": p50, "Perc99": p99})
	i.Labels["result"] = result
	return i
}

func TestTableHasBothPluginsSideBySide(t *testing.T) {
	g := NewWithT(t)
	results := []schedulerperf.DataItem{
		item("X_many_Theirs", throughputMetric, "not applicable", map[string]float64{"Average": 50, "Perc50": 1}),
		item("X_many_Ours", throughputMetric, "not applicable", map[string]float64{"Average": 75.4, "Perc50": 1}),
		item("X_many_Ours", cycleMetric, "not applicable", map[string]float64{"Average": 1.5, "Perc99": 4}),
		item("X_many_Theirs", pluginMetric, "Filter", map[string]float64{"Perc50": 0.0251, "Perc99": 22.168378}),
		item("X_many_Ours", pluginMetric, "PreFilter", map[string]float64{"Perc50": 0.5, "Perc99": 1.25}),
		item("X_many_Ours", pluginMetric, "Filter", map[string]float64{"Perc50": 0.0051, "Perc99": 0.01}),
		attempts("X_many_Ours", "unschedulable", 1, 2),
		attempts("X_many_Ours", "scheduled", 3, 512.25),
		attempts("X_stuck_Theirs", "error", 10240, 16384),
		item("X_stuck_Ours", throughputMetric, "not applicable", map[string]float64{"Average": 8}),
		item("X_many_more_Ours", throughputMetric, "not applicable", map[string]float64{"Average": 9}),
	}
	g.Expect(table([]string{"X_many", "X_stuck", "X_left_out"}, "Theirs", "Ours", [][]schedulerperf.DataItem{results})).To(Equal(
		`| workload | pods/s Theirs | Ours | ratio | cycle ms Theirs | Ours | PreFilter ms Theirs | Ours | Filter ms Theirs | Ours | Reserve ms Theirs | Ours | pod ms Theirs | Ours |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| X_many | 50 | 75 | 1.51 | – | 1.5 / 4 | – | 0.5 / 1.25 | 0.0251 / >22 | 0.0051 / 0.01 | – | – | – | 3 / 512 |
| X_stuck | – | 8 | – | – | – | – | – | – | – | – | – | 10240 / 16384 error | – |
`))
}

func TestTableHasTheMediansOfSeveralRounds(t *testing.T) {
	g := NewWithT(t)
	var rounds [][]schedulerperf.DataItem
	for _, pair := range [][2]float64{{50, 100}, {60, 30}, {40, 60}, {0, 1000}} {
		round := []schedulerperf.DataItem{item("X_Ours", throughputMetric, "", map[string]float64{"Average": pair[1]})}
		if pair[0] > 0 { // One run failed.
			round = append(round, item("X_Theirs", throughputMetric, "", map[string]float64{"Average": pair[0]}))
		}
		rounds = append(rounds, round)
	}
	g.Expect(table([]string{"X"}, "Theirs", "Ours", rounds)).To(ContainSubstring("| X | 50 | 80 | 1.60 (0.50 to 2.00) |"))
}
