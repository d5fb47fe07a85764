// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// at returns the time a number of seconds after a round began.
func at(seconds float64) time.Time {
	return time.Unix(1700000000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// read returns the timeline of lines that are one second apart.
func read(lines ...string) *timeline {
	t := &timeline{}
	for i, line := range lines {
		t.line(at(float64(i)), line)
	}
	return t
}

func TestTimelineHasTheTasksOfARun(t *testing.T) {
	g := NewWithT(t)
	got := read(
		"   about 8 min until the first spec",
		" • compile draconform ...",
		"   compile draconform: 3 packages compiled (20s, about 8 min until the first spec)",
		" • no container engine answers: install docker.io ...",
		" ✓ compile draconform: 3 packages compiled (3s)",
		" ✓ no container engine answers: install docker.io (2s)",
		" • cluster draconform-1a2b: Kubernetes 1.37.2 ...",
		" ✓ cluster draconform-1a2b: Kubernetes 1.37.2: ready (1s)",
		" • 12 specs in 3 processes, up to 2 at a time ...",
		" ✓ spec 1 of 14: one: passed (1s)",
		" ✓ 12 specs in 3 processes, up to 2 at a time (2s)",
		" • 2 specs, one at a time ...",
		"   spec 13 of 14: two",
		" ✓ 2 specs, one at a time (2s)",
		" • remove cluster draconform-1a2b ...",
		"verdict: passed: 14 passed",
	)
	g.Expect(got.tasks).To(Equal([]task{
		{"compile draconform", at(1), at(4)},
		{"no container engine answers: install docker.io", at(3), at(5)},
		{"cluster draconform: Kubernetes 1.37.2", at(6), at(7)},
		{parallelSpecs, at(8), at(10)},
		{serialSpecs, at(11), at(13)},
		{name: "remove cluster draconform", from: at(14)},
	}))
	g.Expect(got.first).To(Equal(at(0)))
	g.Expect(got.verdict).To(Equal("verdict: passed: 14 passed"))
	g.Expect(got.judgedAt).To(Equal(at(15)))
	_, found := got.find("remove cluster draconform")
	g.Expect(found).To(BeFalse(), "an unfinished task is not measured")
}
