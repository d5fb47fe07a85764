// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// measured returns a run whose first spec runs after the given seconds, on a
// machine with one of two processors busy.
func measured(untilSpecs float64) Run {
	r := Run{Begun: at(0)}
	r.Timeline = Timeline{
		First: at(0.5), Verdict: "verdict: passed", JudgedAt: at(untilSpecs + 60),
		Tasks: []Task{{Name: "compile", From: at(1), To: at(untilSpecs)}, {Name: ParallelSpecs, From: at(untilSpecs), To: at(untilSpecs + 50)}},
	}
	for s := range int(untilSpecs) + 100 {
		r.Samples = append(r.Samples, Sample{at(float64(s)), time.Duration(s) * time.Second, 1<<30 + int64(s%7)<<28})
	}
	return r
}

func TestFiguresAreTheMedianAndTheRange(t *testing.T) {
	g := NewWithT(t)
	rounds := []Run{measured(200), measured(100), measured(150)}
	g.Expect(Durations("first", rounds, Run.UntilSpecs)).To(Equal(Figure{"first", "2 min 30 s", "1 min 40 s to 3 min 20 s"}))
	g.Expect(Durations("verdict", rounds, Run.UntilVerdict)).To(Equal(Figure{"verdict", "3 min 30 s", "2 min 40 s to 4 min 20 s"}))
	g.Expect(Durations("processors", rounds, Run.CPUUntilVerdict)).To(Equal(Figure{"processors", "3 min 30 s", "2 min 40 s to 4 min 20 s"}))
	g.Expect(Numbers("memory", "%.2f GiB", rounds, func(r Run) float64 { return float64(r.Memory()) / GiB })).To(Equal(Figure{"memory", "1.50 GiB", "1.50 GiB to 1.50 GiB"}))
}

func TestTaskRowsAreMediansOfTheRounds(t *testing.T) {
	more := measured(100)
	more.Timeline.Tasks = append([]Task{{Name: "only here", From: at(0), To: at(1)}}, more.Timeline.Tasks...)
	NewWithT(t).Expect(TaskRows([]Run{more, measured(200), measured(150)})).To(Equal([]TaskRow{
		{"only here", "0.0 s", "1.0 s", "1.0 s", "0.2 GiB"},
		{"compile", "1.0 s", "2 min 29 s", "2 min 29 s", "1.5 GiB"},
		{ParallelSpecs, "2 min 30 s", "50 s", "50 s", "1.5 GiB"},
	}))
}

func TestDescribeNamesMachineAndCommit(t *testing.T) {
	m := Machine{"2026-11-24", "0123456789ab", "A Processor", "24 GiB", "Debian 12", "6.1", "go1.26", "1.37.2", 2}
	NewWithT(t).Expect(m.Describe(1)).To(Equal("Measured on 2026-11-24 at commit 0123456789ab, Kubernetes 1.37.2, go1.26, on 2 cores of A Processor with\n24 GiB of memory, Debian 12, Linux 6.1, without other load. Median of 1 round"))
	NewWithT(t).Expect(m.Describe(3)).To(HaveSuffix("Median of 3 rounds"))
}

func TestFormat(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Millisecond: "1.2 s", 12345 * time.Millisecond: "12 s", 59600 * time.Millisecond: "1 min 0 s", 754 * time.Second: "12 min 34 s",
	} {
		NewWithT(t).Expect(Format(d)).To(Equal(want))
	}
}
