// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/search"
)

// incomplete makes the pool of the last slice incomplete.
func (w *world) incomplete() { w.slices[len(w.slices)-1].Spec.Pool.ResourceSliceCount++ }

// An error is the same with prunings and without.
func TestErrors(t *testing.T) {
	for name, test := range map[string]struct {
		input func(w *world)
		want  string
	}{
		"more devices than a claim can have": {func(w *world) {
			w.pool("gpu", nil, devices(40)...)
			w.claim(exactly("gpu", 33))
		}, "claim default/claim-0, request r0: adding 33 devices exceeds the claim limit of 32, with 0 already accounted for"},
		"more devices for two requests": {func(w *world) {
			w.pool("gpu", nil, devices(40)...)
			w.claim(exactly("gpu", 20), firstAvailable(exactly("gpu", 14), exactly("gpu", 13)))
		}, "claim default/claim-0, request r1: adding 13 devices exceeds the claim limit of 32, with 20 already accounted for"},
		"all devices are too many": {func(w *world) {
			w.pool("gpu", nil, devices(33)...)
			w.claim(all("gpu"))
		}, "claim default/claim-0, request r0: adding 33 devices exceeds the claim limit of 32, with 0 already accounted for"},
		"all devices of an incomplete pool": {func(w *world) {
			w.pool("gpu", nil, devices(1)...)
			w.incomplete()
			w.claim(all("gpu"))
		}, "claim default/claim-0, request r0: asks for all devices, but resource pool gpu/pool is currently being updated"},
		"all devices of an invalid pool": {func(w *world) {
			w.pool("gpu", nil, append(named("a"), named("a")...)...)
			w.claim(all("gpu"))
		}, "claim default/claim-0, request r0: asks for all devices, but resource pool gpu/pool is currently invalid"},
		"all devices, of which a constraint excludes one": {func(w *world) {
			w.pool("gpu", nil, roots("a", "b")...)
			constrained(w.claim(all("gpu")), match("gpu/root"))
		}, "claim default/claim-0, request r0: cannot add device gpu/pool/dev-1 because a claim constraint would not be satisfied"},
		"a request without a class": {func(w *world) {
			w.pool("gpu", nil, devices(1)...)
			w.claim(exactly("", 1))
		}, "claim default/claim-0, request r0: missing device class name (unsupported request type?)"},
		"a selector that fails": {func(w *world) {
			w.pool("gpu", nil, devices(1)...)
			w.claim(exactly("gpu", 1, ofKind("a")))
		}, "claim default/claim-0: selector #0 on device gpu/pool/dev-0: CEL runtime error: no such key: kind"},
		"a selector that fails for all devices": {func(w *world) {
			w.pool("gpu", nil, devices(1)...)
			r := all("gpu")
			ofKind("a")(r.Exactly)
			w.claim(r)
		}, "claim default/claim-0: selector #0 on device gpu/pool/dev-0: CEL runtime error: no such key: kind"},
		"a selector of a class that fails": {func(w *world) {
			list := devices(1)
			list[0].Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"nothing": {}}
			w.pool("gpu", nil, list...)
			w.claim(exactly("gpu", 1))
		}, "class gpu: selector #0 on device gpu/pool/dev-0: CEL runtime error: "},
		"a selector that does not compile": {func(w *world) {
			w.pool("gpu", nil, devices(1)...)
			w.claim(exactly("gpu", 1, selecting("device.")))
		}, "claim default/claim-0: selector #0: CEL compile error: "},
		"a derived attribute that fails": {func(w *world) {
			w.pool("gpu", nil, devices(1)...)
			constrained(w.claim(exactly("gpu", 1, deriving)), match("gpu/root"))
		}, "evaluate derived attribute gpu/root on device gpu/pool/dev-0 failed: no such key: derived"},
		// The next two have no solution, which must not be found before the error.
		"a derived attribute that fails in the second word": {func(w *world) {
			list := devices(70, attribute("derived", always("x")), attribute("kind", func(i int) string { return fmt.Sprint(i >= 60) }))
			delete(list[69].Attributes, "derived")
			w.pool("gpu", nil, list...)
			constrained(w.claim(exactly("gpu", 11, ofKind("true"), deriving)), match("gpu/root"))
		}, "evaluate derived attribute gpu/root on device gpu/pool/dev-69 failed: no such key: derived"},
		"all devices, which another request excludes by a constraint": {func(w *world) {
			w.pool("gpu", nil, devices(2, attribute("root", of("a", "b")), kind("a", "b"))...)
			r := all("gpu")
			ofKind("b")(r.Exactly)
			constrained(w.claim(exactly("gpu", 1, ofKind("a")), r), match("gpu/root"))
		}, "claim default/claim-0, request r1: cannot add device gpu/pool/dev-1 because a claim constraint would not be satisfied"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{}
			test.input(w)
			for _, limits := range []search.Limits{{}, {Skip: search.AllPrunings}, {PruneAtOnce: true}} {
				limits.Steps = 10_000
				_, _, err := w.run(t, limits)
				NewWithT(t).Expect(err).To(MatchError(HavePrefix(test.want)), "%+v", limits)
			}
		})
	}
}

// Only a request for all devices depends on pools that cannot be used.
func TestDevicesOfAnIncompletePoolAreNotUsed(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("a", nil, named("a")...)
	w.incomplete()
	w.pool("gpu", nil, named("b")...)
	w.claim(exactly(anyClass, 1))
	found, _, err := w.run(t, search.Limits{Steps: 100})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(Equal([]string{"b"}))
}

// With these fixes, pools and constraints that other nodes do not have do not end the search for a node.
func TestFixesOfErrors(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, roots("a", "b")...)
	constrained(w.claim(all("gpu")), match("gpu/root"))
	p := w.problem(t)
	p.Fixes.AllConflictIsNoFit = true
	_, found, _, err := search.Run(t.Context(), p, search.Limits{Steps: 100})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeFalse())

	w.incomplete()
	w.setNode(t, p, "node")
	for _, p.Fixes.PoolErrorsStayOnNode = range []bool{false, true} {
		_, _, _, err = search.Run(t.Context(), p, search.Limits{Steps: 100})
		g.Expect(err).To(MatchError(ContainSubstring("is currently being updated")))
		g.Expect(errors.Is(err, structured.ErrFailedAllocationOnNode)).To(Equal(p.Fixes.PoolErrorsStayOnNode))
	}
}

// A search takes one step for each request and device, and one for its end.
func TestLimitsOfASearch(t *testing.T) {
	w := &world{}
	w.pool("gpu", nil, devices(10)...)
	w.claim(exactly("gpu", 4), exactly("gpu", 1))
	const needed = 2 + 5 + 1
	g := NewWithT(t)
	found, stats, err := w.run(t, search.Limits{Steps: needed})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(HaveLen(5))
	g.Expect(stats.Steps).To(Equal(needed))
	_, _, err = w.run(t, search.Limits{Steps: needed - 1})
	g.Expect(err).To(MatchError(search.ErrBudget))

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the cluster is gone"))
	_, ok, _, err := search.Run(ctx, w.problem(t), search.Limits{Steps: needed})
	g.Expect(err).To(MatchError("filter operation aborted: the cluster is gone"))
	g.Expect(ok).To(BeFalse())
}

// counted is a context that ends when its error is asked for a number of times.
type counted struct {
	context.Context
	asked, last int
}

func (c *counted) Err() error {
	if c.asked++; c.asked > c.last {
		return context.Canceled
	}
	return nil
}

// A search asks before its first step, with its first step, and every 1024 steps.
func TestSearchAsksItsContextSometimes(t *testing.T) {
	g := NewWithT(t)
	w := &world{}
	w.pool("gpu", nil, devices(40)...)
	w.claim(exactly("gpu", 20))
	ctx := &counted{Context: context.Background(), last: 2}
	_, found, stats, err := search.Run(ctx, w.problem(t), search.Limits{Steps: 10_000})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeTrue())
	g.Expect(stats.Steps).To(BeNumerically(">", 20))
	g.Expect(ctx.asked).To(Equal(2))

	constrained(w.claim(exactly("gpu", 10)), distinct("gpu/root")) // No device has the attribute.
	ctx = &counted{Context: context.Background(), last: 2}
	_, _, stats, err = search.Run(ctx, w.problem(t), search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings})
	g.Expect(err).To(MatchError("filter operation aborted: context canceled"))
	g.Expect(stats.Steps).To(Equal(1025))
}
