// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/bits"
)

// tentative is a lock that choices of this search create on a device without active claims.
type tentative struct {
	values []string
	shares int // The number of shares chosen in this search.
}

// lockable returns the keys of a device on which choices of this search can conflict. Such a device declares sharing
// affinity, is shared, and is not locked by an active claim. For any other device, the affinity depends on each
// alternative alone.
func (s *searcher) lockable(position int) []string {
	if s.Affinity == nil {
		return nil
	}
	w, bit := bits.Bit(position)
	slice, i := s.device(position)
	sh := s.Affinity.of(slice)
	if sh == nil || sh.err != nil || s.word(w).shared&bit == 0 || sh.devices[i].lock.Unknown || sh.devices[i].lock.Values != nil {
		return nil
	}
	return sh.devices[i].keys
}

// agrees returns whether an alternative that suits the device has the values of the earlier choices.
func (s *searcher) agrees(a *alternative, position int) bool {
	lock := s.locks[position]
	if lock == nil || a.Admin {
		return true
	}
	for k, key := range s.lockable(position) {
		if value, problem := a.Entry.Value(key); problem.Kind != affinity.None || value != lock.values[k] {
			return false
		}
	}
	return true
}

// lock locks a chosen device to the values of the alternative. It returns whether unlock must be called later.
func (s *searcher) lock(a *alternative, position int) bool {
	if s.Affinity == nil || a.Admin {
		return false
	}
	if lock := s.locks[position]; lock != nil {
		lock.shares++
		return true
	}
	keys := s.lockable(position)
	if len(keys) == 0 {
		return false
	}
	values, problem := a.Entry.Values(keys)
	if problem.Kind != affinity.None {
		return false // Cannot happen: the device would not suit.
	}
	if s.locks == nil {
		s.locks = map[int]*tentative{}
	}
	s.locks[position] = &tentative{values: values, shares: 1}
	return true
}

func (s *searcher) unlock(position int) {
	if s.locks[position].shares--; s.locks[position].shares == 0 {
		delete(s.locks, position)
	}
}

// lockSignature appends the properties that distinguish devices with respect to locks: which alternatives have equal
// values for the keys of the device, and for which alternatives the device is preferred. Alternatives with equal
// values have the same number.
func (s *searcher) lockSignature(key []byte, position int) []byte {
	if s.Affinity == nil {
		return key
	}
	w, bit := bits.Bit(position)
	keys := s.lockable(position)
	key = append(key, flag(len(keys) > 0))
	var known [][]string
	for i := range s.alternatives {
		a := &s.alternatives[i]
		key = append(key, flag(a.verdicts[w].preferred&bit != 0))
		if len(keys) == 0 {
			continue
		}
		class := 0 // The class of alternatives that create no lock.
		if values, problem := a.Entry.Values(keys); problem.Kind == affinity.None && !a.Admin {
			n := slices.IndexFunc(known, func(other []string) bool { return slices.Equal(other, values) })
			if n < 0 {
				n = len(known)
				known = append(known, values)
			}
			class = n + 1
		}
		key = appendIndex(key, class)
	}
	return key
}

// lockSituation appends the locks that the i-th request or a later one can observe.
func (p *pruner) lockSituation(key []byte, i int) []byte {
	locks := p.s.locks
	if len(locks) == 0 {
		return key
	}
	positions := make([]int, 0, len(locks))
	for position := range locks {
		if w, bit := bits.Bit(position); p.later(i, w)&bit != 0 {
			positions = append(positions, position)
		}
	}
	slices.Sort(positions)
	for _, position := range positions {
		key = appendIndex(append(key, 'a'), position)
		for _, value := range locks[position].values {
			key = append(appendIndex(key, len(value)), value...)
		}
	}
	return key
}
