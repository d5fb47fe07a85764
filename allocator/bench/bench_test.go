// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/inputs"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// patience bounds the duration of one allocation. kube-scheduler allows 10s.
var patience = flag.Duration("patience", time.Second, "how long one allocation may take before it counts as a timeout")

// implementations are the allocators to compare: ours and Kubernetes' with the same function call, and ours with an
// index that is reused, as in a scheduler.
var implementations = []implementation{
	{"upstream", perPod(diff.Upstream)},
	{"draconform", perPod(diff.Implementation{Name: "draconform", New: allocator.NewAllocator})},
	{"index", func(p *problem.Problem) create {
		forPod := indexed(p)
		return func(context.Context) (structured.Allocator, error) { return forPod(), nil }
	}},
}

// fits determines only whether an allocation exists. A scheduler needs nothing else for most nodes.
var fits = implementation{"fits", func(p *problem.Problem) create {
	forPod := indexed(p)
	return func(context.Context) (structured.Allocator, error) { return fitting{forPod()}, nil }
}}

type implementation struct {
	name string
	// prepare returns a function that creates an allocator for one pod.
	prepare func(p *problem.Problem) create
}

type create func(context.Context) (structured.Allocator, error)

func indexed(p *problem.Problem) func() *allocator.Allocator {
	index := allocator.NewIndex(allocator.Config{Features: p.Enabled(), CELCache: p.CELCache()})
	index.Update(p.Slices)
	state, classes := p.State(), p.Lister()
	return func() *allocator.Allocator { return index.Allocator(state, classes) }
}

// fitting is an allocator of which only Fits is used.
type fitting struct{ *allocator.Allocator }

func (f fitting) fits(b *testing.B, w *waiting, input inputs.Input, p *problem.Problem, node *corev1.Node) {
	ok, err := f.Fits(w.fresh(), node, p.Claims)
	if err != nil || ok != (input.Class == diff.Fit) {
		b.Fatalf("want %s, got %t, %v", input.Class, ok, err)
	}
}

func perPod(impl diff.Implementation) func(*problem.Problem) create {
	return func(p *problem.Problem) create {
		state, classes, cache := p.State(), p.Lister(), p.CELCache()
		return func(ctx context.Context) (structured.Allocator, error) {
			return impl.New(ctx, p.Enabled(), state, classes, p.Slices, cache)
		}
	}
}

// BenchmarkAllocate measures one pod on one node: an allocator is created and used once. The metric beyond/op counts
// memory allocations in addition to those of a copy of the result.
func BenchmarkAllocate(b *testing.B) {
	for _, input := range append(inputs.NoFit(), inputs.Everyday()...) {
		b.Run(input.Name, func(b *testing.B) {
			p := input.Build()
			for _, impl := range implementations {
				b.Run("impl="+impl.name, func(b *testing.B) {
					create := impl.prepare(p)
					var w waiting
					defer w.done()
					pod := func() ([]resourceapi.AllocationResult, int) {
						a, err := create(context.Background())
						if err != nil {
							b.Fatal(err)
						}
						return allocate(b, &w, input, a, p, p.Nodes[0])
					}
					b.ReportAllocs()
					timeouts := 0
					for range b.N {
						_, late := pod()
						timeouts += late
					}
					b.ReportMetric(float64(timeouts)/float64(b.N), "timeouts/op")
					b.StopTimer()
					if results, _ := pod(); results != nil {
						b.ReportMetric(beyond(results, func() { pod() }), "beyond/op")
					}
				})
			}
		})
	}
}

// beyond returns the number of memory allocations needed for a result, without those of the result itself.
func beyond(results []resourceapi.AllocationResult, pod func()) float64 {
	const runs = 10
	return testing.AllocsPerRun(runs, pod) - testing.AllocsPerRun(runs, func() {
		kept = make([]resourceapi.AllocationResult, len(results))
		for i := range results {
			results[i].DeepCopyInto(&kept[i])
		}
	})
}

// kept prevents the compiler from optimizing the copy away.
var kept []resourceapi.AllocationResult

// BenchmarkEveryNode measures one node for one pod that is tried on a hundred nodes. After each hundred, an allocator
// is created for the next pod.
func BenchmarkEveryNode(b *testing.B) {
	for _, input := range inputs.EveryNode() {
		b.Run(input.Name, func(b *testing.B) {
			p := input.Build()
			for _, impl := range append(implementations, fits) {
				b.Run("impl="+impl.name, func(b *testing.B) {
					create := impl.prepare(p)
					var w waiting
					defer w.done()
					node := func(i int, a structured.Allocator) structured.Allocator {
						if i%len(p.Nodes) == 0 {
							var err error
							if a, err = create(context.Background()); err != nil {
								b.Fatal(err)
							}
						}
						if f, ok := a.(fitting); ok {
							f.fits(b, &w, input, p, p.Nodes[i%len(p.Nodes)])
						} else {
							allocate(b, &w, input, a, p, p.Nodes[i%len(p.Nodes)])
						}
						return a
					}
					var a structured.Allocator
					for i := range p.Nodes {
						a = node(i, a) // Fill what is cached between pods.
					}
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						a = node(i, a)
					}
				})
			}
		})
	}
}

// BenchmarkPerNode measures one additional node for one pod. The allocator is created and used on a first node before
// the timer starts. The duration of that is the metric first-ns.
func BenchmarkPerNode(b *testing.B) {
	for _, input := range inputs.ManyNodes() {
		b.Run(input.Name, func(b *testing.B) {
			p := input.Build()
			for _, impl := range implementations {
				b.Run("impl="+impl.name, func(b *testing.B) {
					create := impl.prepare(p)
					var w waiting
					defer w.done()
					start := time.Now()
					a, err := create(context.Background())
					if err != nil {
						b.Fatal(err)
					}
					_, timeouts := allocate(b, &w, input, a, p, p.Nodes[0])
					first := time.Since(start)
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						_, late := allocate(b, &w, input, a, p, p.Nodes[(i+1)%len(p.Nodes)])
						timeouts += late
					}
					b.ReportMetric(float64(first.Nanoseconds()), "first-ns")
					b.ReportMetric(float64(timeouts)/float64(b.N), "timeouts/op")
				})
			}
		})
	}
}

// waiting is a context that ends after about the patience. It is reused as long as most of that is left, so that the
// benchmark does not measure the creation of contexts.
type waiting struct {
	context.Context
	cancel context.CancelFunc
	since  time.Time
}

// fresh returns a context with at least nine tenths of the patience left.
func (w *waiting) fresh() context.Context {
	if w.Context == nil || time.Since(w.since) > *patience/10 {
		w.done()
		w.since = time.Now()
		w.Context, w.cancel = context.WithTimeout(context.Background(), *patience)
	}
	return w
}

func (w *waiting) done() {
	if w.cancel != nil {
		w.cancel()
	}
}

// allocate runs the allocator on a node. It returns the result, and 1 if it timed out.
func allocate(b *testing.B, w *waiting, input inputs.Input, a structured.Allocator, p *problem.Problem, node *corev1.Node) ([]resourceapi.AllocationResult, int) {
	results, err := a.Allocate(w.fresh(), node, p.Claims)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, 1
	case err != nil:
		b.Fatal(err)
	case (results != nil) != (input.Class == diff.Fit):
		b.Fatalf("want %s, got %v", input.Class, results)
	}
	return results, 0
}
