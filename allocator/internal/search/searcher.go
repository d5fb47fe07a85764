// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"context"
	"fmt"
	"sync"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/allocator/internal/selector"
	"github.com/draconform/draconform/internal/fault"
)

// searcher is the state of one search. Later searches reuse its memory.
type searcher struct {
	Problem
	ctx    context.Context
	limits Limits
	steps  int
	budget int // Of the current phase.

	alternatives []alternative
	words        []wordState
	verdicts     []verdict       // Of all alternatives, concatenated.
	taken        []uint64        // Per claim and word: devices chosen for the claim. Only used with admin access.
	pools        []poolState     // Per pool of the node.
	ledgers      map[int]*ledger // Per position, of devices whose capacity is limited.
	spare        []*ledger
	locks        map[int]*tentative // Per position, of devices that choices have locked.
	constraints  []constraintState  // Of all claims, concatenated.
	firstOf      []int              // Per claim: the index of its first constraint.
	results      []int              // Per claim: the number of chosen devices.
	chosen       []int              // Per request: the alternative.
	picks        []Pick
	groupTrail   []groupChange
	idArena      []uint32

	encoded []bool // Scratch, per constraint.
	key     []byte // Scratch.

	recalled Answer // The answer, if it is already stored in memory.

	packing bool // Preferred devices come first.

	order  []int   // The requests to satisfy, ascending.
	prune  *pruner // Set to &pruner while the walk uses prunings.
	pruner pruner
}

// alternative is a plan.Alternative on this node.
type alternative struct {
	*plan.Alternative
	index    int
	verdicts []verdict
	all      []int // Positions of the devices, for a request for all devices.
	need     int
}

// verdict records which of up to 64 devices suit an alternative, independent of other choices.
type verdict struct {
	loaded     bool
	known, yes uint64
	preferred  uint64 // Devices that come before all others.
}

// wordState is the state of up to 64 devices.
type wordState struct {
	loaded bool
	inUse  uint64 // Allocated, or chosen for any claim.
	shared uint64
	ledger uint64 // Devices whose remaining capacity must be checked.
}

type poolState struct {
	loaded   bool
	left     []number.N
	negative int
	groups   []common
}

type groupChange struct {
	pool, set int
	before    common
}

var searchers = sync.Pool{New: func() any { return &searcher{} }}

func newSearcher(ctx context.Context, problem *Problem, limits Limits) *searcher {
	s := searchers.Get().(*searcher)
	s.Problem, s.ctx, s.limits, s.steps = *problem, ctx, limits, 0
	s.packing = s.Affinity.packs(s.Node)
	s.order = s.order[:0]
	for i := range problem.Plan.Requests {
		s.order = append(s.order, i)
	}
	s.verdicts = cleared(s.verdicts, len(problem.Plan.Alternatives)*len(problem.Node.Words))
	s.alternatives = cleared(s.alternatives, len(problem.Plan.Alternatives))
	n := len(problem.Node.Words)
	for i := range s.alternatives {
		a := &problem.Plan.Alternatives[i]
		s.alternatives[i] = alternative{Alternative: a, index: i, need: a.Count, verdicts: s.verdicts[i*n : (i+1)*n]}
	}
	s.reset()
	return s
}

// reset discards all choices and keeps the verdicts on devices.
func (s *searcher) reset() {
	s.words = cleared(s.words, len(s.Node.Words))
	s.taken = s.taken[:0]
	for i := range s.alternatives {
		if s.alternatives[i].Admin {
			s.taken = cleared(s.taken, len(s.Plan.Claims)*len(s.Node.Words))
			break
		}
	}
	for i := range s.pools {
		clear(s.pools[i].groups)
		s.pools[i] = poolState{left: s.pools[i].left[:0], groups: s.pools[i].groups[:0]}
	}
	for len(s.pools) < len(s.Node.Pools) {
		s.pools = append(s.pools, poolState{})
	}
	s.dropLedgers()
	clear(s.locks)
	s.constraints, s.firstOf = s.constraints[:0], s.firstOf[:0]
	for i := range s.Plan.Claims {
		first := len(s.constraints)
		if fault.SharesConstraintsOfClaims {
			first = 0
		}
		s.firstOf = append(s.firstOf, first)
		for range s.Plan.Claims[i].Constraints {
			s.constraints = appendEmpty(s.constraints)
		}
	}
	s.results = cleared(s.results, len(s.Plan.Claims))
	s.chosen = cleared(s.chosen, len(s.Plan.Requests))
	s.picks, s.groupTrail, s.idArena = s.picks[:0], s.groupTrail[:0], s.idArena[:0]
}

// release returns the searcher to the pool, without references to objects of others. Choices that were undone during
// the search are already cleared.
func (s *searcher) release() {
	clear(s.alternatives)
	clear(s.picks)
	for i := range s.constraints {
		s.constraints[i].forget()
	}
	s.dropLedgers()
	clear(s.locks)
	for i := range s.pools {
		clear(s.pools[i].groups)
	}
	clear(s.groupTrail)
	s.pruner.release()
	s.Problem, s.ctx, s.prune, s.recalled = Problem{}, nil, nil, Answer{}
	searchers.Put(s)
}

// cleared returns a slice of n zero values. It reuses the memory of the given slice if it is large enough.
func cleared[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// step counts one choice. It checks the context every 1024 steps.
func (s *searcher) step() error {
	s.steps++
	if s.steps&1023 == 1 {
		if err := s.interrupted(); err != nil {
			return err
		}
	}
	if s.steps > s.budget {
		return ErrBudget
	}
	return nil
}

func (s *searcher) interrupted() error {
	if s.ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("filter operation aborted: %w", context.Cause(s.ctx))
}

// word returns the state of word w, including the allocated devices.
func (s *searcher) word(w int) *wordState {
	state := &s.words[w]
	if !state.loaded {
		s.load(w, state)
	}
	return state
}

func (s *searcher) load(w int, state *wordState) {
	word := &s.Node.Words[w]
	state.loaded = true
	at := word.First / bits.WordSize
	if s.Features.ConsumableCapacity {
		state.shared = word.Slice.Flags(at).Shared
		state.ledger = state.shared
	}
	if words := s.Allocated.words(word.Slice); words != nil {
		state.inUse = words[at].devices
		state.ledger |= words[at].capacity
	}
}

// device returns the slice and the index of the device at a position.
func (s *searcher) device(position int) (*pools.Slice, int) {
	word := &s.Node.Words[position/bits.WordSize]
	return word.Slice, word.First + position%bits.WordSize
}

func (s *searcher) answer() Answer {
	a := Answer{Alternatives: append([]int(nil), s.chosen...), Picks: append([]Pick(nil), s.picks...)}
	return a
}

// use returns the capacity that the alternative consumes of the device at a position, or nil without consumable
// capacity.
func (s *searcher) use(a *alternative, position int) *selector.Use {
	if a.Requirement == nil {
		return nil
	}
	slice, i := s.device(position)
	return a.Requirement.Use(slice, i)
}
