package bench

import (
	"context"
	"errors"
	"flag"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/diff"
	"github.com/draconform/draconform/allocator/internal/inputs"
	"github.com/draconform/draconform/allocator/internal/problem"
)

// patience is how long an allocation may take. kube-scheduler waits 10s.
var patience = flag.Duration("patience", time.Second, "how long one allocation may take before it counts as a timeout")

// implementations are what is compared: our allocator and Kubernetes' with
// the same function call, and ours with an index that is kept, as a scheduler
// has it.
var implementations = []struct {
	name string
	// prepare returns what makes an allocator for one pod.
	prepare func(p *problem.Problem) func(context.Context) (structured.Allocator, error)
}{
	{"upstream", perPod(diff.Upstream)},
	{"draconform", perPod(diff.Implementation{Name: "draconform", New: allocator.NewAllocator})},
	{"index", func(p *problem.Problem) func(context.Context) (structured.Allocator, error) {
		index := allocator.NewIndex(allocator.Config{Features: p.Enabled(), CELCache: p.CELCache()})
		index.Update(p.Slices)
		state, classes := p.State(), p.Lister()
		return func(context.Context) (structured.Allocator, error) { return index.Allocator(state, classes), nil }
	}},
}

func perPod(impl diff.Implementation) func(*problem.Problem) func(context.Context) (structured.Allocator, error) {
	return func(p *problem.Problem) func(context.Context) (structured.Allocator, error) {
		state, classes, cache := p.State(), p.Lister(), p.CELCache()
		return func(ctx context.Context) (structured.Allocator, error) {
			return impl.New(ctx, p.Enabled(), state, classes, p.Slices, cache)
		}
	}
}

// BenchmarkAllocate is one pod on one node: an allocator is made and used
// once.
func BenchmarkAllocate(b *testing.B) {
	for _, input := range append(inputs.NoFit(), inputs.Everyday()...) {
		b.Run(input.Name, func(b *testing.B) {
			p := input.Build()
			for _, impl := range implementations {
				b.Run("impl="+impl.name, func(b *testing.B) {
					create := impl.prepare(p)
					b.ReportAllocs()
					timeouts := 0
					for range b.N {
						a, err := create(context.Background())
						if err != nil {
							b.Fatal(err)
						}
						timeouts += allocate(b, input, a, p, p.Nodes[0])
					}
					b.ReportMetric(float64(timeouts)/float64(b.N), "timeouts/op")
				})
			}
		})
	}
}

// BenchmarkPerNode is one more node for one pod: the allocator is made, and
// used on a first node, before the time runs. How long that takes is the
// metric first-ns.
func BenchmarkPerNode(b *testing.B) {
	for _, input := range inputs.ManyNodes() {
		b.Run(input.Name, func(b *testing.B) {
			p := input.Build()
			for _, impl := range implementations {
				b.Run("impl="+impl.name, func(b *testing.B) {
					create := impl.prepare(p)
					start := time.Now()
					a, err := create(context.Background())
					if err != nil {
						b.Fatal(err)
					}
					timeouts := allocate(b, input, a, p, p.Nodes[0])
					first := time.Since(start)
					b.ReportAllocs()
					b.ResetTimer()
					for i := range b.N {
						timeouts += allocate(b, input, a, p, p.Nodes[(i+1)%len(p.Nodes)])
					}
					b.ReportMetric(float64(first.Nanoseconds()), "first-ns")
					b.ReportMetric(float64(timeouts)/float64(b.N), "timeouts/op")
				})
			}
		})
	}
}

// allocate uses the allocator on a node. It returns 1 if that took too long.
func allocate(b *testing.B, input inputs.Input, a structured.Allocator, p *problem.Problem, node *corev1.Node) int {
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	results, err := a.Allocate(ctx, node, p.Claims)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return 1
	case err != nil:
		b.Fatal(err)
	case (results != nil) != (input.Class == diff.Fit):
		b.Fatalf("want %s, got %v", input.Class, results)
	}
	return 0
}
