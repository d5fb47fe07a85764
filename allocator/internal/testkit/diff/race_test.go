// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"sync"
	"testing"

	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
)

// goroutines is the number of nodes that kube-scheduler filters in parallel.
const goroutines = 16

func TestAllocatorIsSafeForConcurrentUse(t *testing.T) {
	problems, sharing := gen.Config{}.Problem(), gen.Config{Affinity: true}.Problem()
	for seed := range 200 {
		p := problems.Example(seed)
		if seed%2 == 0 {
			p = sharing.Example(seed)
		}
		allocator := newSubject(p, p.State(), p.Allocated)
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
