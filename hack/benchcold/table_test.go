// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// measured returns a round whose first spec runs after the given seconds, on a
// machine with one of two processors busy.
func measured(untilSpecs float64) round {
	r := round{begun: at(0), disk: 3 << 30, yardstick: 100 * time.Second, yardstickCPU: 50 * time.Second}
	r.timeline = timeline{
		first: at(0.5), verdict: "verdict: passed", judgedAt: at(untilSpecs + 60),
		tasks: []task{{"compile", at(1), at(untilSpecs)}, {parallelSpecs, at(untilSpecs), at(untilSpecs + 50)}},
	}
	for s := range int(untilSpecs) + 100 {
		r.samples = append(r.samples, sample{at(float64(s)), time.Duration(s) * time.Second, 1<<30 + int64(s%7)<<28})
	}
	return r
}

func TestFiguresAreTheMedianAndTheRange(t *testing.T) {
	rows := figures([]round{measured(200), measured(100), measured(150)})
	NewWithT(t).Expect(rows).To(Equal([]row{
		{"the first line", "0.5 s", "0.5 s to 0.5 s"},
		{"until the first spec runs", "2 min 30 s", "1 min 40 s to 3 min 20 s"},
		{"processors' time until then", "2 min 30 s", "1 min 40 s to 3 min 20 s"},
		{"until the verdict", "3 min 30 s", "2 min 40 s to 4 min 20 s"},
		{"processors' time until then", "3 min 30 s", "2 min 40 s to 4 min 20 s"},
		{"caches and node images on disk", "3.0 GiB", "3.0 GiB to 3.0 GiB"},
		{"yardstick", "1 min 40 s", "1 min 40 s to 1 min 40 s"},
		{"processors' time of the yardstick", "50 s", "50 s to 50 s"},
		{"until the first spec, to the yardstick", "1.50", "1.00 to 2.00"},
		{"processors' time until the first spec, to the yardstick's", "3.00", "2.00 to 4.00"},
	}))
}

func TestTaskRowsAreMediansOfTheRounds(t *testing.T) {
	more := measured(100)
	more.timeline.tasks = append([]task{{"only here", at(0), at(1)}}, more.timeline.tasks...)
	rows := taskRows([]round{more, measured(200), measured(150)})
	NewWithT(t).Expect(rows).To(Equal([]taskRow{
		{"only here", "0.0 s", "1.0 s", "1.0 s", "0.2 GiB"},
		{"compile", "1.0 s", "2 min 29 s", "2 min 29 s", "1.5 GiB"},
		{parallelSpecs, "2 min 30 s", "50 s", "50 s", "1.5 GiB"},
	}))
}

func TestDocumentNamesMachineAndCommit(t *testing.T) {
	m := machine{"2026-11-24", "0123456789ab", "A Processor", "24 GiB", "Debian 12", "6.1", "go1.26", "1.37.2", 2}
	page := document(m, []round{measured(100)})
	g := NewWithT(t)
	g.Expect(page).To(ContainSubstring("Measured on 2026-11-24 at commit 0123456789ab, Kubernetes 1.37.2, go1.26, on 2 cores of A Processor with\n24 GiB of memory, Debian 12, Linux 6.1, without other load. Median of 1 round, each"))
	g.Expect(page).To(ContainSubstring("\n| until the first spec runs | 1 min 40 s | 1 min 40 s to 1 min 40 s |\n"))
	g.Expect(page).To(ContainSubstring("\n| compile | 1.0 s | 1 min 39 s | 1 min 39 s | 1.5 GiB |\n"))
}

func TestBusyIsTheTimeOfProgramsAndOfTheKernel(t *testing.T) {
	g := NewWithT(t)
	g.Expect(busy([]byte("cpu  100 10 50 9999 8888 3 2 7777 0 0\ncpu0 1 2 3\n"))).To(Equal(1650 * time.Millisecond))
	_, err := busy([]byte("intr 1 2 3\n"))
	g.Expect(err).To(MatchError(`read /proc/stat: unexpected line "intr 1 2 3"`))
}

func TestUsedMemoryIsWhatIsNotAvailable(t *testing.T) {
	g := NewWithT(t)
	g.Expect(usedMemory([]byte("MemTotal:  3000 kB\nMemFree: 1 kB\nMemAvailable: 1000 kB\n"))).To(BeNumerically("==", 2000<<10))
	_, err := usedMemory([]byte("MemTotal: 3000 kB\n"))
	g.Expect(err).To(MatchError("read /proc/meminfo: it has no MemTotal or no MemAvailable"))
}

func TestFormat(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Millisecond: "1.2 s", 12345 * time.Millisecond: "12 s", 59600 * time.Millisecond: "1 min 0 s", 754 * time.Second: "12 min 34 s",
	} {
		NewWithT(t).Expect(format(d)).To(Equal(want))
	}
}
