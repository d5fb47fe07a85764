// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/testkit/diff"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// Most searches of random problems end before any pruning is used. The test uses prunings from the first step on.
// The result must be that of the plain search.
func TestPruningsDoNotChangeTheAnswer(t *testing.T) {
	for name, config := range map[string]gen.Config{
		"any":           {},
		"hard":          {Hard: true},
		"tiny":          {Tiny: true},
		"as by default": {Beta: true},
		"invalid":       {Wild: true},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := config.Problem().Draw(t, "problem")
				skip := rapid.Uint64Range(0, uint64(search.AllPrunings)).Draw(t, "skip")
				for _, node := range p.Nodes {
					plain := answer(p, node, func(*allocator.Allocator) {})
					if plain.Class == diff.TimedOut {
						continue
					}
					pruned := answer(p, node, func(a *allocator.Allocator) { a.PruneAtOnce(search.Pruning(skip)) })
					if pruned.Class == diff.TimedOut && skip != 0 {
						continue
					}
					if err := diff.Difference(plain, pruned); err != nil {
						t.Fatalf("node %s, without prunings %b: %v", node.Name, skip, err)
					}
				}
			})
		})
	}
}

func answer(p *problem.Problem, node *corev1.Node, change func(*allocator.Allocator)) diff.Outcome {
	index := allocator.NewIndex(allocator.Config{Features: p.Enabled(), CELCache: p.CELCache(), MaxSteps: 20_000})
	index.Update(p.Slices)
	a := index.Allocator(p.State(), p.Lister())
	change(a)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o := diff.Allocate(ctx, a, p, node)
	if errors.Is(o.Err, allocator.ErrStepsExhausted) {
		o.Class = diff.TimedOut
	}
	return o
}
