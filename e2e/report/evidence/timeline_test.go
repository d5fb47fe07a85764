// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/e2e/report"
)

// Regardless of the times, bars stay within the run, and specs are in the order of
// their start.
func TestTimelineStaysWithinTheRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := NewWithT(t)
		times := rapid.Float64Range(-1, 20000)
		r := report.Report{Run: report.Run{Duration: metav1.Duration{Duration: time.Duration(rapid.Int64Range(0, 20000).Draw(t, "run")) * time.Second}}}
		for range rapid.IntRange(1, 8).Draw(t, "specs") {
			r.Specs = append(r.Specs, report.Spec{After: ptr.To(times.Draw(t, "after")), Seconds: max(0, times.Draw(t, "seconds"))})
		}
		line := newTimeline(r)
		g.Expect(line.Rows).To(HaveLen(len(r.Specs)))
		for i, row := range line.Rows {
			g.Expect(row.Left).To(And(BeNumerically(">=", 0), BeNumerically("<=", 100)))
			g.Expect(row.Width).To(BeNumerically(">=", 0))
			g.Expect(row.Left + row.Width).To(BeNumerically("<=", 100.0001))
			if i > 0 {
				g.Expect(row.Left).To(BeNumerically(">=", line.Rows[i-1].Left))
			}
		}
		g.Expect(len(line.Ticks)).To(And(BeNumerically(">=", 1), BeNumerically("<=", 6)))
		for i, tick := range line.Ticks {
			g.Expect(tick.Left).To(BeNumerically("<=", 90))
			if i > 0 {
				g.Expect(tick.Left).To(BeNumerically(">", line.Ticks[i-1].Left))
			}
		}
	})
}

func TestFormatDurationAndClock(t *testing.T) {
	g := NewWithT(t)
	for seconds, want := range map[float64]string{0: "0.0 s", 4.25: "4.2 s", 59.94: "59.9 s", 59.96: "1 min 0 s", 60: "1 min 0 s", 100.9: "1 min 41 s", 3599.6: "1 h 0 min", 3600: "1 h 0 min", 9000: "2 h 30 min"} {
		g.Expect(formatDuration(seconds)).To(Equal(want), "%g", seconds)
	}
	for seconds, want := range map[float64]string{-0.3: "0:00", 0: "0:00", 59.6: "1:00", 61: "1:01", 6000: "100:00"} {
		g.Expect(clock(seconds)).To(Equal(want), "%g", seconds)
	}
}
