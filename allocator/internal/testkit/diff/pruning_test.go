// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diff_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/search"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/allocator/internal/testkit/gen"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// everyPruning contains all prunings of the search, one bit each.
const everyPruning = ^search.Pruning(0)

// searched is the result of a search.
type searched struct {
	chosen []choice
	found  bool
	err    error
}

type choice struct{ alternative, position int }

// searchOn returns a function that searches on one node after the other, like
// one allocator: results that it caches for a node are used for the next.
func searchOn(p *problem.Problem, pack bool, limits search.Limits) func(node int) searched {
	features := p.Enabled()
	inventory := pools.NewInventory(pools.Settings{Features: features}, p.Slices, nil)
	memo := selector.NewMemo(p.CELCache(), features.ListTypeAttributes)
	allocated := search.NewAllocated(search.UsageOf(p.State()), features, search.Fixes{})
	question := search.Problem{
		Plan: plan.New(features, p.Lister(), memo, p.Claims), Allocated: allocated, Features: features,
		Affinity: search.NewAffinity(affinity.NewState(p.Allocated), allocated, pack), Memory: &search.Memory{},
	}
	return func(node int) searched {
		view, err := inventory.Node(p.Nodes[node])
		if err != nil {
			return searched{err: err}
		}
		q := question
		q.Node = view
		q.SkipsNodeOperations = slices.Contains(p.Nodes[node].Status.DeclaredFeatures, "DRAOptionalNodeOperations")
		answer, found, _, err := search.Run(context.Background(), &q, limits)
		ended := searched{found: found, err: err}
		for _, pick := range answer.Picks {
			ended.chosen = append(ended.chosen, choice{pick.Alternative, pick.Position})
		}
		return ended
	}
}

// samePruned compares searches without some of the prunings with a search
// without any. Prunings may skip an evaluation that fails, and the plain search
// may take too long. These cases are not compared.
func samePruned(pack bool, leftOut ...search.Pruning) property {
	return func(p *problem.Problem) error {
		plain := searchOn(p, pack, search.Limits{Steps: steps, Skip: everyPruning})
		want := make([]searched, len(p.Nodes))
		for i := range p.Nodes {
			want[i] = plain(i)
		}
		for _, skip := range leftOut {
			pruned := searchOn(p, pack, search.Limits{Steps: steps, Skip: skip, PruneAtOnce: true})
			for i, node := range p.Nodes {
				got := pruned(i)
				if errors.Is(got.err, search.ErrBudget) || want[i].err != nil {
					continue
				}
				if got.err != nil || got.found != want[i].found || got.found && !slices.Equal(got.chosen, want[i].chosen) {
					return fmt.Errorf("node %s, without prunings %b: want %+v, got %+v", node.Name, skip, want[i], got)
				}
			}
		}
		return nil
	}
}

// The search runs with all prunings, and with each pruning that considers locks
// alone. A bug in one of them could be hidden by another.
func TestPruningsDoNotChangeTheAnswerWithSharingAffinity(t *testing.T) {
	leftOut := []search.Pruning{0, everyPruning &^ search.PruneSymmetry, everyPruning &^ search.PruneNogoods, everyPruning &^ search.PruneLocks}
	for name, config := range map[string]gen.Config{"usual": {Affinity: true}, "hard": {Affinity: true, Hard: true}} {
		t.Run(name, func(t *testing.T) {
			find(t, config, samePruned(false, leftOut...))
		})
		t.Run(name+", packed", func(t *testing.T) {
			find(t, config, samePruned(true, leftOut...))
		})
	}
}
