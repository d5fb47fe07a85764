// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/hack/internal/measure"
)

// at returns the time a number of seconds after a round began.
func at(seconds float64) time.Time {
	return time.Unix(1700000000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// measured returns a round whose first spec runs after the given seconds, on a
// machine with one of two processors busy.
func measured(untilSpecs float64) round {
	r := round{Run: measure.Run{Begun: at(0)}, Disk: 3 << 30, Yardstick: 100 * time.Second, YardstickCPU: 50 * time.Second}
	r.Timeline = measure.Timeline{
		First: at(0.5), Verdict: "verdict: passed", JudgedAt: at(untilSpecs + 60),
		Tasks: []measure.Task{{Name: "compile", From: at(1), To: at(untilSpecs)}, {Name: measure.ParallelSpecs, From: at(untilSpecs), To: at(untilSpecs + 50)}},
	}
	for s := range int(untilSpecs) + 100 {
		r.Samples = append(r.Samples, measure.Sample{At: at(float64(s)), CPU: time.Duration(s) * time.Second, Used: 1<<30 + int64(s%7)<<28})
	}
	return r
}

func TestFiguresCompareWithTheYardstick(t *testing.T) {
	rows := figures([]round{measured(200), measured(100), measured(150)})
	NewWithT(t).Expect(rows).To(Equal([]measure.Figure{
		{Name: "the first line", Median: "0.5 s", Range: "0.5 s to 0.5 s"},
		{Name: "until the first spec runs", Median: "2 min 30 s", Range: "1 min 40 s to 3 min 20 s"},
		{Name: "processors' time until then", Median: "2 min 30 s", Range: "1 min 40 s to 3 min 20 s"},
		{Name: "until the verdict", Median: "3 min 30 s", Range: "2 min 40 s to 4 min 20 s"},
		{Name: "processors' time until then", Median: "3 min 30 s", Range: "2 min 40 s to 4 min 20 s"},
		{Name: "caches and node images on disk", Median: "3.0 GiB", Range: "3.0 GiB to 3.0 GiB"},
		{Name: "yardstick", Median: "1 min 40 s", Range: "1 min 40 s to 1 min 40 s"},
		{Name: "processors' time of the yardstick", Median: "50 s", Range: "50 s to 50 s"},
		{Name: "until the first spec, to the yardstick", Median: "1.50", Range: "1.00 to 2.00"},
		{Name: "processors' time until the first spec, to the yardstick's", Median: "3.00", Range: "2.00 to 4.00"},
	}))
}

func TestPartHasTheTablesOfOneRound(t *testing.T) {
	m := measure.Machine{Date: "2026-11-24", Commit: "0123456789ab"}
	part := document(m, []round{measured(100)})
	g := NewWithT(t)
	g.Expect(part.By).To(Equal("make bench-cold"))
	g.Expect(part.Text).To(ContainSubstring("\nMeasured on 2026-11-24 at commit 0123456789ab, "))
	g.Expect(part.Text).To(ContainSubstring(" Median of 1 round, each in a root of its own.\n"))
	g.Expect(part.Text).To(ContainSubstring("\n| until the first spec runs | 1 min 40 s | 1 min 40 s to 1 min 40 s |\n"))
	g.Expect(part.Text).To(ContainSubstring("\n| compile | 1.0 s | 1 min 39 s | 1 min 39 s | 1.5 GiB |\n"))
}
