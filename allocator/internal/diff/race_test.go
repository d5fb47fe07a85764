package diff_test

import (
	"context"
	"sync"
	"testing"

	"github.com/draconform/draconform/allocator/internal/diff"
	"github.com/draconform/draconform/allocator/internal/gen"
)

// goroutines is how many nodes kube-scheduler tries at a time.
const goroutines = 16

func TestOneAllocatorServesManyGoroutines(t *testing.T) {
	problems := gen.Config{}.Problem()
	for seed := range 100 {
		p := problems.Example(seed)
		allocator, err := diff.New(context.Background(), subject, p)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]diff.Outcome, len(p.Nodes))
		for i := range p.Nodes {
			want[i] = ours(p, i)
		}
		var group sync.WaitGroup
		for worker := range goroutines {
			group.Go(func() {
				node := worker % len(p.Nodes)
				got := diff.Allocate(diff.WithStepLimit(context.Background(), 100*steps), allocator, p, p.Nodes[node])
				if err := diff.Difference(want[node], got); err != nil {
					t.Errorf("problem %d, goroutine %d: %v", seed, worker, err)
				}
			})
		}
		group.Wait()
	}
}
