// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
)

// Memory caches the answers for nodes with the same claims, so that an equivalent node needs no search. It is valid
// for one allocated state. It is safe for concurrent use.
//
// Nodes that see the same slices share a pools.Node and are recognized immediately. Other nodes are compared only
// when the search is long. Two nodes are equivalent if all inputs of the rules are equal at each position.
type Memory struct {
	mu         sync.RWMutex
	plan       *plan.Plan // The answers are for these claims only.
	same       map[nodeView]outcome
	equivalent map[string]outcome
	size       int
}

// nodeView is the view of a node and the only other property of the node that affects the answer.
type nodeView struct {
	node  *pools.Node
	skips bool
}

type outcome struct {
	answer Answer
	found  bool
	err    error // Nil or ErrBudget.
}

// maxEquivalent bounds the bytes of stored descriptions.
const maxEquivalent = 16 << 20

func recallFrom[K comparable](m *Memory, p *plan.Plan, answers func() map[K]outcome, key K) (outcome, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.plan != p {
		return outcome{}, false
	}
	o, ok := answers()[key]
	return o, ok
}

func (m *Memory) store(p *plan.Plan, o outcome, err error, keep func(outcome)) {
	if err != nil && !errors.Is(err, ErrBudget) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.plan != p || m.size > maxEquivalent {
		m.plan, m.same, m.equivalent, m.size = p, nil, nil, 0
	}
	o.err = err
	keep(o)
}

func put[K comparable](answers map[K]outcome, key K, o outcome) map[K]outcome {
	if answers == nil {
		answers = map[K]outcome{}
	}
	answers[key] = o
	return answers
}

// remembered returns the stored outcome of the node. If there is none, it searches.
func (s *searcher) remembered() (outcome, error) {
	m := s.Memory
	if m == nil || s.Node.Own {
		return s.fresh()
	}
	key := nodeView{s.Node, s.SkipsNodeOperations}
	if o, ok := recallFrom(m, s.Plan, func() map[nodeView]outcome { return m.same }, key); ok {
		return o, o.err
	}
	o, err := s.fresh()
	m.store(s.Plan, o, err, func(o outcome) { m.same = put(m.same, key, o) })
	return o, err
}

func (s *searcher) fresh() (outcome, error) {
	found, err := s.solve()
	if !found || err != nil {
		return outcome{}, err
	}
	if s.recalled.Alternatives != nil {
		return outcome{answer: s.recalled, found: true}, nil
	}
	return outcome{answer: s.answer(), found: true}, nil
}

// equivalent returns the stored outcome of an equivalent node. key is the description under which to store the outcome.
func (s *searcher) equivalent() (o outcome, ok bool, key string) {
	if s.Memory == nil {
		return outcome{}, false, ""
	}
	key = string(s.describe())
	o, ok = recallFrom(s.Memory, s.Plan, func() map[string]outcome { return s.Memory.equivalent }, key)
	return o, ok, key
}

func (s *searcher) learn(key string, found bool, err error) {
	if key == "" {
		return
	}
	o := outcome{found: found}
	if found {
		o.answer = s.answer()
		s.recalled = o.answer
	}
	s.Memory.store(s.Plan, o, err, func(o outcome) {
		s.Memory.equivalent = put(s.Memory.equivalent, key, o)
		s.Memory.size += len(key)
	})
}

// describe encodes all inputs of the rules. It must be called before any choice and after everything was evaluated.
// The result is valid until the next call.
func (s *searcher) describe() []byte {
	key := append(s.key[:0], flag(s.SkipsNodeOperations))
	pool := -1
	for w := range s.Node.Words {
		word := &s.Node.Words[w]
		key = append(key, flag(word.Pool != pool))
		if word.Pool != pool {
			pool = word.Pool
			key = s.describePool(key, pool)
		}
		state := s.word(w)
		key = binary.LittleEndian.AppendUint64(key, s.valid(w))
		key = binary.LittleEndian.AppendUint64(key, state.shared)
		consumers := word.Slice.Flags(word.First / bits.WordSize).Consumes
		for rest := s.valid(w); rest != 0; rest &= rest - 1 {
			bit := rest & -rest
			position := w*bits.WordSize + bits.First(bit)
			consumes := consumers&bit != 0 && s.Node.Pools[pool].Core != nil
			key = s.signature(append(key, flag(state.ledger&bit != 0), flag(consumes)), w, bit)
			if state.ledger&bit != 0 {
				key = s.describeCapacity(key, state, position, bit)
			}
			if consumes {
				key = append(key, flag(s.consumesCounters(&alternative{Alternative: &plan.Alternative{}}, word, position, bit, state.shared&bit != 0)))
				key = s.consumptionKey(key, position, func(counter int) int { return counter }, func(set int) int { return set })
			}
		}
	}
	for i := range s.alternatives {
		key = appendIndex(append(key, flag(s.alternatives[i].All)), s.alternatives[i].need)
	}
	s.key = key
	return key
}

func (s *searcher) describePool(key []byte, index int) []byte {
	if s.Node.Pools[index].Core == nil {
		return append(key, 'n')
	}
	state := s.pool(index)
	for i := range state.left {
		key = state.left[i].AppendKey(append(key, 'l'))
	}
	for i := range state.groups {
		key = state.groups[i].appendKey(append(key, 'g'))
	}
	return append(key, 'e')
}

// describeCapacity encodes the remaining capacities of a device and the consumption of each alternative.
func (s *searcher) describeCapacity(key []byte, state *wordState, position int, bit uint64) []byte {
	for _, left := range s.ledger(state, position, bit).left {
		key = left.AppendKey(append(key, 'c'))
	}
	for i := range s.alternatives {
		a := &s.alternatives[i]
		if a.verdicts[position/bits.WordSize].yes&bit == 0 {
			continue
		}
		if use := s.use(a, position); use != nil {
			for _, amount := range use.Amounts {
				key = amount.AppendKey(append(key, 'u'))
			}
		}
		key = append(key, ';')
	}
	return key
}
