// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"fmt"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/plan"
	"github.com/draconform/draconform/allocator/internal/pools"
	"github.com/draconform/draconform/internal/fault"
)

// scan returns the first position at or after from whose device is free and suits the alternative, or -1 if there is
// none. It considers either the preferred devices or all others. It does not evaluate devices in use.
func (s *searcher) scan(a *alternative, from int, preferred bool) (int, error) {
	for w := from / bits.WordSize; w < len(s.Node.Words); w++ {
		free := s.available(a, w)
		if w == from/bits.WordSize {
			free &^= bits.Low(from % bits.WordSize)
		}
		v := s.verdict(a, w)
		if preferred {
			free &= v.preferred
		} else {
			free &^= v.preferred
		}
		for rest := free & (v.yes | ^v.known); rest != 0; rest &= rest - 1 {
			bit := rest & -rest
			if v.known&bit == 0 {
				if err := s.evaluate(a, w, bit, v); err != nil {
					return -1, err
				}
				if v.yes&bit == 0 {
					continue
				}
			}
			return w*bits.WordSize + bits.First(bit), nil
		}
	}
	return -1, nil
}

// available returns the devices of word w that are not in use. For admin access, only devices of the same claim
// count as in use.
func (s *searcher) available(a *alternative, w int) uint64 {
	state := s.word(w)
	valid := s.valid(w)
	if a.Admin && fault.AdminRepeatsDevices {
		return valid
	}
	if a.Admin && fault.AdminHeedsFirstClaim {
		return valid &^ s.taken[w]
	}
	if a.Admin && !fault.AdminNeedsFreeDevices {
		return valid &^ s.taken[a.Claim*len(s.Node.Words)+w]
	}
	if fault.GivesDevicesTwice {
		return valid
	}
	return valid &^ state.inUse
}

func (s *searcher) valid(w int) uint64 {
	word := &s.Node.Words[w]
	return word.Slice.Valid(word.First / bits.WordSize)
}

// verdict returns the verdict on word w, including results of earlier evaluations by this and other searches.
func (s *searcher) verdict(a *alternative, w int) *verdict {
	v := &a.verdicts[w]
	if !v.loaded {
		s.recall(a, w, v)
	}
	return v
}

func (s *searcher) recall(a *alternative, w int, v *verdict) {
	v.loaded = true
	word := &s.Node.Words[w]
	at := word.First / bits.WordSize
	flags := word.Slice.Flags(at)
	left := word.Slice.Valid(at)
	v.known = ^left
	if !s.Features.DeviceBindingAndStatus {
		v.known |= left & flags.Binding
		left &^= flags.Binding
	}
	for i := range a.Checks {
		known, yes, failed := a.Checks[i].Results(word.Slice).Word(at)
		v.known |= left & known &^ yes &^ failed
		left &= yes
	}
	v.known |= left &^ word.Reach &^ word.Errors
	left &= word.Reach &^ word.Errors
	if a.Requirement != nil && (a.Requirement.HasRequests() || flags.Capacity != 0) {
		known, yes, failed := a.Requirement.Results(word.Slice).Word(at)
		v.known |= left & known &^ yes &^ failed
		left &= yes
	}
	v.preferred = s.preferred(a, word)
	if !a.All {
		blocked := s.blocked(a, word, left)
		v.known |= blocked
		left &^= blocked
	}
	v.known |= left
	v.yes = left
}

// evaluate evaluates one device. The order of the checks determines which error is returned.
func (s *searcher) evaluate(a *alternative, w int, bit uint64, v *verdict) error {
	word := &s.Node.Words[w]
	i := word.First + bits.First(bit)
	ok, err := s.suits(a, word, i, bit)
	if err != nil {
		return err
	}
	v.known |= bit
	if ok && (a.All || s.blocked(a, word, bit) == 0) {
		v.yes |= bit
	}
	return nil
}

func (s *searcher) suits(a *alternative, word *pools.Word, i int, bit uint64) (bool, error) {
	for j := range a.Checks {
		ok, err := s.matches(a, &a.Checks[j], word.Slice, i)
		if !ok || err != nil {
			return false, err
		}
	}
	if word.Errors&bit != 0 {
		return false, word.Slice.SelectionError(i)
	}
	if word.Reach&bit == 0 {
		return false, nil
	}
	if a.Requirement == nil {
		return true, nil
	}
	ok, err := a.Requirement.Fits(word.Slice, i)
	if err != nil {
		return false, fmt.Errorf("claim %s, request %s: checking capacity for device %s: %w",
			plan.ClaimName(s.Plan.Claims[a.Claim].API), a.Name, word.Slice.ID(i), err)
	}
	return ok, nil
}

func (s *searcher) matches(a *alternative, check *plan.Check, slice *pools.Slice, i int) (bool, error) {
	owner := func() string {
		if check.OfClass {
			return "class " + a.Class.Name
		}
		return "claim " + plan.ClaimName(s.Plan.Claims[a.Claim].API)
	}
	if err := check.CompileError(); err != nil {
		return false, fmt.Errorf("%s: selector #%d: CEL compile error: %w", owner(), check.Index, err)
	}
	ok, err := check.Matches(s.ctx, slice, i)
	if err != nil && fault.PassesOverFailures {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%s: selector #%d on device %s: CEL runtime error: %w", owner(), check.Index, slice.ID(i), err)
	}
	return ok, nil
}

// blocked returns the subset of the given devices of a word that suit but cannot be allocated. The node does not
// support them, a feature is disabled, they have a taint that is not tolerated, or their affinity excludes them.
func (s *searcher) blocked(a *alternative, word *pools.Word, of uint64) uint64 {
	if skip := word.Slice.API.Spec.SkipNodeOperations; len(skip) > 0 && (!s.Features.OptionalNodeOperations || !s.SkipsNodeOperations) {
		return of
	}
	flags := word.Slice.Flags(word.First / bits.WordSize)
	var blocked uint64
	if !s.Features.PartitionableDevices {
		blocked = of & flags.Consumes
	}
	if s.Affinity != nil {
		blocked |= s.excluded(a, word, of)
	}
	if !s.Features.DeviceTaints || fault.IgnoresTaints || fault.AdminToleratesTaints && a.Admin || fault.ComparesTaintsOfFirst && a.need > 1 {
		return blocked
	}
	for rest := of & flags.Tainted; rest != 0; rest &= rest - 1 {
		i := word.First + bits.First(rest)
		if fault.SharesTaintedDevices && len(s.Allocated.Device(word.Slice.ID(i)).Shares) > 0 {
			continue
		}
		if repelled(a, word.Slice, i) {
			blocked |= rest & -rest
		}
	}
	return blocked
}
