// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"errors"

	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/internal/fault"
)

// errTooMany is returned by the walk if the claim cannot hold the devices that are still needed. It ends the search
// up to the last choice between subrequests, because no other choice changes the number of devices.
var errTooMany = errors.New("allocation max size exceeded")

// next satisfies the i-th request and all later ones. It returns true after the last request.
func (s *searcher) next(i int) (bool, error) {
	if err := s.step(); err != nil {
		return false, err
	}
	if i == len(s.order) {
		return true, nil
	}
	request := &s.Plan.Requests[s.order[i]]
	if s.prune != nil && (s.prune.seen(i, nil, 0, 0) || s.prune.infeasible(i, nil, 0, 0)) {
		return false, nil
	}
	done, err := s.request(i, request.First, request.End, request.Prioritized)
	if errors.Is(err, errTooMany) && i > 0 && s.Plan.Requests[s.order[i-1]].Claim != request.Claim {
		// A choice for an earlier claim can affect which subrequests are possible in this claim.
		done, err = false, nil
	}
	if fault.NeverTakesBack && i > 0 && s.Plan.Requests[s.order[i-1]].Claim != request.Claim && !done && err == nil {
		return false, structured.ErrFailedAllocationOnNode
	}
	if s.prune != nil && !done && err == nil {
		s.prune.remember(i, nil, 0, 0)
	}
	return done, err
}

// request tries the alternatives of a request.
func (s *searcher) request(i, first, end int, prioritized bool) (bool, error) {
	if !prioritized {
		s.chosen[s.order[i]] = first
		return s.choose(i, &s.alternatives[first], 0, 0)
	}
	if fault.NeverFallsBack {
		end = first + 1
	}
	if fault.TriesFourSubrequests {
		end = min(end, first+4)
	}
	tooMany := true
	for next := first; next < end; next++ {
		alternative := next
		if fault.PrefersSecond {
			alternative = first + (next-first+1)%(end-first)
		}
		s.chosen[s.order[i]] = alternative
		if s.prune != nil && s.prune.infeasible(i, &s.alternatives[alternative], 0, 0) {
			tooMany = false
			continue
		}
		done, err := s.choose(i, &s.alternatives[alternative], 0, 0)
		if errors.Is(err, errTooMany) {
			continue
		}
		tooMany = false
		if done || err != nil {
			return done, err
		}
	}
	if tooMany {
		return false, errTooMany
	}
	return false, nil
}

// choose allocates the n-th device of an alternative, at a place at or after from, and then everything that follows.
func (s *searcher) choose(i int, a *alternative, n, from int) (bool, error) {
	if a.All && len(a.all) == 0 {
		return false, nil
	}
	if n >= a.need {
		return s.next(i + 1)
	}
	if a.need-n > MaxResults-s.results[a.Claim] || fault.LimitsResultsOfPods && a.need-n > MaxResults-len(s.picks) {
		return false, errTooMany
	}
	if a.All {
		return s.fixed(i, a, n)
	}
	if s.prune != nil {
		return s.pruned(i, a, n, from)
	}
	for {
		place, err := s.candidate(a, from)
		if place < 0 || err != nil {
			return false, err
		}
		from = place + 1
		done, err := s.try(i, a, n, place)
		if done || err != nil {
			return done, err
		}
	}
}

// try allocates the device at a place and then everything that follows.
func (s *searcher) try(i int, a *alternative, n, place int) (bool, error) {
	if err := s.step(); err != nil {
		return false, err
	}
	position := s.position(place)
	undo, ok, err := s.place(a, position, false)
	if !ok || err != nil {
		return false, err
	}
	next := place + 1
	if a.Admin && fault.AdminRepeatsDevices {
		next = place
	}
	done, err := s.choose(i, a, n+1, next)
	if !done || err != nil {
		s.unplace(a, position, &undo)
	}
	return done, err
}

// fixed allocates the n-th device of a request for all devices. There is no other choice.
func (s *searcher) fixed(i int, a *alternative, n int) (bool, error) {
	if err := s.step(); err != nil {
		return false, err
	}
	position := a.all[n]
	w, bit := bits.Bit(position)
	word := &s.Node.Words[w]
	if s.available(a, w)&bit == 0 || s.blocked(a, word, bit) != 0 {
		return false, nil
	}
	undo, ok, err := s.place(a, position, true)
	if !ok || err != nil {
		return false, err
	}
	done, err := s.choose(i, a, n+1, 0)
	if !done || err != nil {
		s.unplace(a, position, &undo)
	}
	return done, err
}
