// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package measure

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
)

// at returns the time a number of seconds after a round began.
func at(seconds float64) time.Time {
	return time.Unix(1700000000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// read returns the timeline of lines that are one second apart.
func read(lines ...string) *Timeline {
	t := &Timeline{}
	for i, line := range lines {
		t.line(at(float64(i)), line)
	}
	return t
}

// is matches a task with a name, from a line to another one.
func is(name string, from, to float64) types.GomegaMatcher {
	return And(HaveField("Name", name), HaveField("From", at(from)), HaveField("To", at(to)))
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
		" • 5 specs in 2 processes, up to 2 at a time ...",
		" ✓ 5 specs in 2 processes, up to 2 at a time (1s)",
		" • 2 specs, one at a time ...",
		"   spec 13 of 14: two",
		" ✓ 2 specs, one at a time (2s)",
		" • remove cluster draconform-1a2b ...",
		"verdict: passed: 14 passed",
	)
	g.Expect(got.Tasks).To(HaveExactElements(
		is("compile draconform", 1, 4),
		is("no container engine answers: install docker.io", 3, 5),
		is("cluster draconform: Kubernetes 1.37.2", 6, 7),
		is(ParallelSpecs, 8, 10),
		is(ParallelSpecs+" (2)", 11, 12),
		is(SerialSpecs, 13, 15),
		And(HaveField("Name", "remove cluster draconform"), HaveField("To", time.Time{})),
	))
	g.Expect(got.First).To(Equal(at(0)))
	g.Expect(got.Verdict).To(Equal("verdict: passed: 14 passed"))
	g.Expect(got.JudgedAt).To(Equal(at(17)))
	_, found := got.Find("remove cluster draconform")
	g.Expect(found).To(BeFalse(), "an unfinished task is not measured")
}
