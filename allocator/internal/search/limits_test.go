// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/search"
)

// A walk takes one step for each request and device that it tries, and one for its end.
func TestStepsOfAPlainWalk(t *testing.T) {
	for name, test := range map[string]struct {
		input func(w *world)
		steps int
	}{
		"a device that does not fit is tried once": {func(w *world) {
			w.pool("gpu", memoryOf("10"), parts("6", "6", "4")...)
			w.claim(exactly("gpu", 2))
		}, 1 + 3 + 1},
		"an alternative that is too large is tried once": {func(w *world) {
			w.pool("gpu", nil, devices(30)...)
			w.claim(firstAvailable(exactly("gpu", 20), exactly("gpu", 1)), exactly("gpu", 13))
		}, 1 + 20 + 1 + 1 + 1 + 13 + 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			test.input(w)
			found, stats, err := w.run(t, search.Limits{Steps: test.steps})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).NotTo(BeEmpty())
			g.Expect(stats.Steps).To(Equal(test.steps))
		})
	}
}

// The work of bounds counts as steps, in addition to the choices.
func TestWorkOfBoundsTakesSteps(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(32)...)
	w.claim(repeat(32, func() resourceapi.DeviceRequest { return exactly("gpu", 1) })...)
	plain, walked, err := w.run(t, search.Limits{Steps: 10_000})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(walked.Steps).To(Equal(32 + 32 + 1))
	found, pruned, err := w.run(t, search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneCounts})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal(plain))
	g.Expect(pruned.Steps).To(BeNumerically(">", walked.Steps+2), "two walks end with their first step")
}

// The last allowed step may end the first part of a search. What then needs no step is still done.
func TestLimitAtTheEndOfTheFirstWalk(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(31)...)
	w.claim(exactly("gpu", 32))
	const first = 200
	_, stats, err := w.run(t, search.Limits{Steps: first})
	g.Expect(err).To(MatchError(search.ErrBudget))
	g.Expect(stats.Steps).To(Equal(first + 1))
	found, stats, err := w.run(t, search.Limits{Steps: first + 1})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeNil())
	g.Expect(stats.Steps).To(Equal(first + 1))
}

// Where an evaluation can fail, the search looks for the error with half of its steps, and uses prunings afterwards.
// The first claim has no solution, so that the selector of the second one, which fails, is not evaluated by a walk.
func TestHalfOfTheStepsAreForErrors(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(31)...)
	w.claim(exactly("gpu", 32))
	w.claim(exactly("gpu", 1, ofKind("a")))
	found, stats, err := w.run(t, search.Limits{Steps: 10_000})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeNil())
	g.Expect(stats.Steps).To(And(BeNumerically(">", 5_000), BeNumerically("<", 5_100)))
}
